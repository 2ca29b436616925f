"""Review: the findings are those of the service, and each is mended or dismissed with its undo."""

import threading

import pytest

from core.background import Urgency
from core.curation.findings.checks.duplicate import RULE
from core.curation.findings.registry import CHECKS
from core.demonstration.demonstration import Draft, IncorrectAnswer, Status
from core.studio import Setup
from core.studio.pools import demonstrations
from core.studio.pools.findings import CheckRequest, check_pool
from core.studio.pools.mending import dismissed_keys
from core.studio.session import readiness
from core.watcher import Watcher
from pages.common.review.found import BEFORE, EMBEDDED
from pages.common.state.knobs import kept_knobs
from tests.pages.conftest import parameter, press
from tests.support.hashing_encoder import WaitingEncoder

POOL = "faulty <pool>"
FRANCE = "What is the capital of France?"
ROWS = (
    Draft(FRANCE, "It is Paris"),
    Draft(FRANCE.upper(), "it is Paris.", tags=("typed",)),
    Draft(FRANCE, "It is Lyon", (IncorrectAnswer("It is Paris"),)),
    Draft("Ist das schÃ¶n?", "Jawohl"),
    Draft("Do bats see?", "Very well", (IncorrectAnswer("very well"), IncorrectAnswer("Not"))),
)


@pytest.fixture
def review(workspace, workspace_with, open_page, finish, the_studio):
    """The page with the findings of the pool, and what a link names."""
    workspace_with(workspace, POOL, ROWS)

    def opened(**link):
        return finish(open_page("review", pool=POOL, **link))

    return opened


def counts(app):
    """How many findings the page counts of each kind, by its label; 0 of those in its sentence."""
    (kinds,) = [each for each in app.button_group if each.key == "review_finding"]
    offered = dict(option.rsplit(" ", 1) for option in kinds.options)
    start, end = "Checked, and none found: ", "."
    (rest,) = [each.value for each in app.caption if each.value.startswith(start)]
    labels = rest.removeprefix(start).removesuffix(end).split(", ")
    assert not offered.keys() & set(labels)
    return offered | dict.fromkeys(labels, "0")


def listed(app):
    (table,) = app.dataframe
    return table.value


def sentences(app):
    return [each.value.replace("\\", "") for each in app.success]


def row(studio, id):
    return demonstrations.present(studio, [id]).get(id)


def found(studio, threshold=0.95):
    request = CheckRequest(Setup(POOL), kept_knobs(), threshold)
    return check_pool(studio, request, Watcher()).findings


def test_it_opens_with_the_worst_kind_that_has_findings_and_counts_them_all(review, the_studio):
    app = review()
    findings = found(the_studio())
    assert counts(app) == {check.label: str(len(findings[name])) for name, check in CHECKS.items()}
    assert app.session_state["review_finding"] == "own-incorrect"
    assert listed(app)["query"].tolist() == ["Do bats see?"]
    assert parameter(app, "finding") == "own-incorrect"
    checked = "5 included demonstrations with 3 different queries"
    assert any(checked in each.value for each in app.markdown)


def test_a_link_opens_a_kind_at_a_threshold(review, the_studio):
    app = review(finding="duplicate", threshold="1.0")
    assert app.slider(key="review_threshold").value == 1.0
    assert listed(app)["demonstrations"].tolist() == [2]
    assert app.session_state["review_finding"] == "duplicate"


@pytest.mark.parametrize(
    "link",
    [{"finding": "leak", "threshold": "0.96"}, {"part": "coverage", "below": "0.31"}],
    ids=["of findings", "of coverage"],
)
def test_a_link_is_kept_while_the_pool_is_embedded_and_checked(
    workspace, workspace_with, every_studio, load_once, presence, open_page, finish, link
):
    encoder = WaitingEncoder()
    encoder.may.clear()
    every_studio(load_encoder=lambda name: encoder, load_model=load_once, presence=presence)
    many = [Draft(f"Where is room {number}?", "Upstairs") for number in range(70)]
    workspace_with(workspace, POOL, [*ROWS, *many])
    app = open_page("review", pool=POOL, **link)
    assert [each.value for each in app.info] == [EMBEDDED]
    encoder.may.set()
    assert {name: parameter(app, name) for name in link} == link
    finish(app)
    assert {name: parameter(app, name) for name in link} == link
    if "part" in link:
        assert app.session_state["review_part"] == "coverage"
    else:
        assert app.session_state["review_finding"] == "leak"
        assert app.slider(key="review_threshold").value == 0.96


@pytest.mark.parametrize("link", [{"finding": "none"}, {"threshold": "0.5"}])
def test_a_link_that_cannot_be_used_is_left_out(review, link):
    app = review(**link)
    assert app.session_state["review_finding"] == "own-incorrect"
    assert app.slider(key="review_threshold").value == 0.95


def test_duplicates_are_merged_with_one_click_and_undone(review, finish, the_studio):
    app = review(finding="duplicate")
    finish(press(app, "review_mend"))
    studio = the_studio()
    assert row(studio, 2) is None
    assert row(studio, 1).tags == ("typed",)
    assert "Merged 1 duplicate into others." in sentences(app)
    assert counts(app)["Duplicates"] == "0"
    finish(press(app, "review_notice_undo"))
    assert row(studio, 1).tags == ()
    assert counts(app)["Duplicates"] == "1"


def texts(app):
    return [each.value.replace("\\", "") for each in app.markdown]


def test_the_one_that_stays_is_shown_with_its_rule_and_changed_by_a_click(
    review, finish, the_studio
):
    app = review(finding="duplicate")
    assert listed(app)["query"].tolist() == [FRANCE]
    assert RULE in [each.value.replace("\\", "") for each in app.caption]
    what, where = "What is the capital of France", "WHAT IS THE CAPITAL OF FRANCE"
    marked = [" ".join(f":orange-background[{w}]" for w in t.split()) for t in (what, where)]
    assert f"{marked[0]}?  \n:orange-background[It] is Paris" in texts(app)
    assert any(
        each.startswith(f"{marked[1]}?  \n:orange-background[it] is Paris") for each in texts(app)
    )
    press(app, "review_stays_2")
    assert listed(app)["query"].tolist() == [FRANCE.upper()]
    finish(press(app, "review_mend"))
    assert row(the_studio(), 1) is None
    assert row(the_studio(), 2).tags == ("typed",)


def test_which_one_stays_is_chosen_for_all_groups_and_is_in_the_link(review, finish, the_studio):
    app = review(finding="duplicate", stays="last")
    assert listed(app)["query"].tolist() == [FRANCE.upper()]
    app.button_group(key="review_stays").set_value("first").run()
    assert listed(app)["query"].tolist() == [FRANCE]
    assert parameter(app, "stays") == "first"
    app.button_group(key="review_stays").set_value("last").run()
    finish(press(app, "review_mend"))
    assert row(the_studio(), 1) is None


def test_letters_are_repaired(review, finish, the_studio):
    app = finish(press(review(finding="encoding"), "review_mend"))
    assert row(the_studio(), 4).query == "Ist das schön?"
    assert counts(app)["Damaged letters"] == "0"


def test_personal_data_is_masked_in_one_press(
    workspace, workspace_with, open_page, finish, the_studio
):
    rows = [Draft("Whom do I ask?", "a@b.org"), Draft("And whom?", "Call +44 20 7946 0958")]
    workspace_with(workspace, "private", rows)
    app = finish(open_page("review", pool="private", finding="personal-data"))
    assert sorted(listed(app)["answer"]) == ["Call [phone number]", "[email]"]
    finish(press(app, "review_mend_all"))
    assert [row(the_studio(), id).answer for id in (1, 2)] == ["[email]", "Call [phone number]"]
    assert "Masked personal data in 2 demonstrations." in sentences(app)


@pytest.mark.parametrize(
    ("kind", "answers"),
    [
        ("placeholder", ("TODO", "n/a")),
        ("repeated-query", ("Whom do I ask", "and whom?")),
        ("wordless", ("...", "?!")),
    ],
)
def test_texts_that_nothing_can_be_made_of_are_excluded_in_one_press(
    kind, answers, workspace, workspace_with, open_page, finish, the_studio
):
    rows = [Draft("Whom do I ask?", answers[0]), Draft("And whom?", answers[1])]
    workspace_with(workspace, "empty", [*rows, Draft("Who is in?", "Ann is.")])
    app = finish(open_page("review", pool="empty", finding=kind))
    assert "review_mend" not in [each.key for each in app.button]
    finish(press(app, "review_mend_all"))
    statuses = [row(the_studio(), id).status for id in (1, 2, 3)]
    assert statuses == [Status.EXCLUDED, Status.EXCLUDED, Status.INCLUDED]
    finish(press(app, "review_notice_undo"))
    assert row(the_studio(), 1).status is Status.INCLUDED


def test_an_answer_is_taken_out_of_its_incorrect_ones(review, finish, the_studio):
    app = finish(press(review(), "review_mend"))
    assert [each.text for each in row(the_studio(), 5).incorrect] == ["Not"]
    assert counts(app)["Answers among their own incorrect answers"] == "0"


def test_a_dismissed_finding_is_listed_apart_and_can_be_restored(review, finish, the_studio):
    app = finish(press(review(finding="contradiction"), "review_dismiss"))
    assert counts(app)["Contradictions"] == "0"
    (finding,) = found(the_studio())["contradiction"]
    assert dismissed_keys(the_studio(), POOL) == {finding.key}
    assert "There are no findings of this kind." in sentences(app)
    app.button_group(key="review_dismissed_contradiction").set_value(True).run()
    assert listed(app)["answer"].tolist() == ["It is Paris"]
    finish(press(app, "review_restore"))
    assert counts(app)["Contradictions"] == "1"
    assert dismissed_keys(the_studio(), POOL) == frozenset()


def test_a_demonstration_of_a_finding_is_excluded_where_it_is_shown(review, finish, the_studio):
    app = finish(press(review(finding="contradiction"), "review_3_exclude"))
    assert row(the_studio(), 3).status is Status.EXCLUDED
    assert counts(app)["Contradictions"] == "0"


def test_a_demonstration_of_a_finding_is_edited_where_it_is_shown(review, finish, the_studio):
    app = press(review(), "review_5_edit")
    (place,) = [each for each in app.text_area if each.key.startswith("edited_5_incorrect_")]
    place.set_value("Not").run()
    finish(press(app, "edited_save"))
    assert [each.text for each in row(the_studio(), 5).incorrect] == ["Not"]
    assert counts(app)["Answers among their own incorrect answers"] == "0"


def test_while_a_changed_pool_is_checked_the_findings_of_before_are_shown(
    review, finish, the_studio
):
    app = review(finding="duplicate")
    demonstrations.delete(the_studio(), [2])
    app.run()
    assert counts(app)["Duplicates"] == "1"
    assert any("2: deleted meanwhile." in each.value for each in app.caption)
    finish(press(app, "review_mend"))
    assert "Nothing to merge: their duplicates are gone meanwhile." in sentences(app)
    assert counts(app)["Duplicates"] == "0"


def test_while_a_large_pool_is_prepared_again_the_findings_of_before_are_shown(
    review, finish, the_studio, monkeypatch
):
    monkeypatch.setattr(readiness, "LARGE_POOL", 1)
    app = review(finding="duplicate")
    before, go_on = listed(app), threading.Event()
    the_studio().pool_worker.submit("busy", "", lambda job: go_on.wait(60), urgency=Urgency.WANTED)
    demonstrations.delete(the_studio(), [5])
    app.run()
    assert [each.value for each in app.info] == [BEFORE]
    assert listed(app).equals(before)
    assert parameter(app, "finding") == "duplicate"
    app.button_group(key="review_part").set_value("coverage").run()
    assert [each.value for each in app.info] == [EMBEDDED]
    app.button_group(key="review_part").set_value("findings").run()
    go_on.set()
    finish(app)
    assert not app.info
    checked = "4 included demonstrations with 2 different queries"
    assert any(checked in each.value for each in app.markdown)


def test_a_pool_without_faults_says_so(review, finish, the_studio):
    app = review()
    demonstrations.set_status(the_studio(), [1, 2, 3, 4, 5], Status.EXCLUDED)
    finish(app)
    assert set(counts(app).values()) == {"0"}
    assert "There are no findings of this kind." in sentences(app)


def test_of_very_many_findings_the_first_are_listed(
    workspace, workspace_with, open_page, finish, monkeypatch
):
    monkeypatch.setattr("pages.common.review.finding.LISTED", 2)
    damaged = [Draft(f"Ist {word} schÃ¶n?", "Ja") for word in ("das", "dies", "jenes")]
    workspace_with(workspace, "damaged", damaged)
    app = finish(open_page("review", pool="damaged", finding="encoding"))
    assert len(listed(app)) == 2
    assert "The first 2 of 3 are listed." in [each.value for each in app.caption]
