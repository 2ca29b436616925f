"""Suggested incorrect answers one by one, and the model's own answers among them."""

import pytest

from core.demonstration.demonstration import Draft, IncorrectAnswer, incorrect_answers
from core.studio.pools import demonstrations
from core.studio.runs import mistakes
from tests.pages.conftest import parameter, press
from tests.support.hashing_encoder import HashingEncoder
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

POOL = "to ask <b>"
SHOP, BREAD = "When does the *shop* open?", "Who bakes the bread?"
ROWS = (
    Draft(SHOP, "At nine"),
    Draft(SHOP, "9 o'clock"),
    Draft("When does the mill open?", "At ten"),
    Draft(BREAD, "A baker", incorrect_answers(("A tailor",))),
)
WRITTEN = {  # alone, and after a context
    SHOP: ("At [noon]", "At nine, I think"),
    "When does the mill open?": ("Never", "At eleven"),
    BREAD: ("a tailor", ""),
}


class Scripted(FakeLanguageModel):
    """It answers what `WRITTEN` has."""

    def answer_to(self, prompt):
        *shown, last = prompt.split("Q: ")
        return WRITTEN[last.split("\n")[0]][len(shown) > 1]


@pytest.fixture
def opened(workspace, workspace_with, every_studio, presence, open_page, finish):
    model = Scripted()
    every_studio(
        load_encoder=lambda name: HashingEncoder(),
        load_model=lambda *name: model,
        presence=presence,
    )
    workspace_with(workspace, POOL, ROWS)
    return lambda **link: finish(
        open_page("demonstrations", pool=POOL, section="suggest", method="rel", k="1", **link)
    )


@pytest.fixture
def begun(opened, finish):
    """The page with the suggestions of near queries, the first of them in sight."""
    return finish(press(opened(), "suggest_one_by_one"))


def words(app):
    parts = [*app.subheader, *app.markdown, *app.caption, *app.info, *app.error, *app.success]
    return " ".join(each.value for each in parts).replace("\\", "")


def head(app):
    texts = [each.proto.text.replace("\\", "") for each in app.get("progress")]
    (found,) = [text for text in texts if text.endswith("refused")]
    return found


def off(app):
    keys = ("accept", "refuse", "back", "next", "undo")
    return {key for key in keys if app.button(key=f"suggest_key_{key}").disabled}


def decide(app, key):
    return press(app, f"suggest_key_{key}")


def wrong(studio, query):
    pool = studio.store.pools.get(POOL)
    rows = [row for row in studio.store.demonstrations.all(pool.id) if row.query == query]
    (found,) = {tuple(each.text for each in row.incorrect) for row in rows}
    return found


def in_sight(app):
    """The suggested text that is asked about."""
    (found,) = [s.value for s in app.subheader if s.value.startswith(":red[")]
    return found.replace("\\", "").removeprefix(":red[").removesuffix("]")


def test_one_is_in_sight_with_its_query_the_correct_answers_and_where_it_comes_from(begun):
    assert head(begun) == "answers of near queries: 1 of 4; 0 accepted, 0 refused"
    assert in_sight(begun) == "At ten"
    seen = words(begun)
    assert SHOP in seen
    assert "Is this answer wrong?" in seen
    assert "A correct answer of: When does the mill open? (cosine 0." in seen
    assert ":green[At nine]" in seen
    assert ":green[9 o'clock]" in seen
    assert off(begun) == {"back", "undo"}


def test_accepted_refused_passed_and_gone_back_to(begun, finish, the_studio):
    texts = [in_sight(begun)]
    app = decide(begun, "accept")
    assert head(app) == "answers of near queries: 2 of 4; 1 accepted, 0 refused"
    assert wrong(the_studio(), SHOP) == ("At ten",)
    texts.append(in_sight(app))
    app = decide(app, "refuse")
    assert wrong(the_studio(), SHOP) == ("At ten",)
    app = decide(decide(app, "back"), "back")
    assert in_sight(app) == texts[0]
    assert "**Accepted.**" in words(app)
    assert {"accept", "refuse"} <= off(app)
    app = decide(decide(app, "next"), "next")
    app = decide(app, "accept")
    app = decide(app, "next")
    assert "This is the end; one was passed without a decision." in words(app)
    assert off(app) == {"accept", "refuse", "next"}
    app = decide(decide(app, "back"), "refuse")
    assert head(app) == "answers of near queries: 4 of 4; 2 accepted, 2 refused"
    assert "All of these are decided." in words(app)


def test_undo_takes_decisions_back_one_after_the_other(begun, the_studio):
    first = in_sight(begun)
    app = decide(decide(begun, "accept"), "refuse")
    app = decide(decide(app, "undo"), "undo")
    assert (in_sight(app), wrong(the_studio(), SHOP)) == (first, ())
    assert head(app) == "answers of near queries: 1 of 4; 0 accepted, 0 refused"
    assert "undo" in off(app)


def test_what_was_refused_gives_its_place_to_the_next_after_leaving(begun, finish):
    refused = in_sight(begun)
    app = finish(press(decide(begun, "refuse"), "suggest_leave"))
    table = app.dataframe[0].value
    assert refused not in table[table["query"] == SHOP]["incorrect answer"].tolist()
    assert len(table) == 3


def test_a_query_deleted_meanwhile_is_one_sentence_and_stays_undecided(begun, the_studio):
    pool = the_studio().store.pools.get(POOL)
    rows = the_studio().store.demonstrations.all(pool.id)
    demonstrations.delete(the_studio(), [row.id for row in rows if row.query == SHOP])
    app = decide(begun, "accept")
    assert "There is nothing to add" in words(app)
    assert "The demonstrations of this query were deleted meanwhile." in words(app)
    assert head(app) == "answers of near queries: 1 of 4; 0 accepted, 0 refused"


def test_another_pool_shows_its_own_suggestions(begun, workspace_with, workspace, finish):
    app = begun
    app.session_state["suggest_decisions"].pool = "another"
    assert finish(app.run()).button(key="suggest_one_by_one")


def ask(app, finish, the_studio):
    next(each for each in app.button if each.label == "Ask").click()
    app.run()
    assert mistakes.RUNS.job(the_studio(), POOL).wait(60)
    return finish(app.run())


def test_the_models_own_answers_are_asked_for_and_counted(opened, finish, the_studio):
    app = opened(source="own", limit="3")
    assert (parameter(app, "source"), parameter(app, "limit")) == ("own", "3")
    assert "At most 6 answers for the model to write; what it wrote before costs nothing." in words(
        app
    )
    assert not app.dataframe
    app = ask(app, finish, the_studio)
    assert (
        "fake gave 6 distinct answers to 3 of 3 queries: 3 may be wrong, 1 say what a correct "
        "answer says, 1 are incorrect answers already and 1 are empty or cut off."
    ) in words(app)
    table = app.dataframe[0].value
    assert sorted(zip(table["query"], table["text"], table["shown"], strict=True)) == [
        (SHOP, "At [noon]", 0),
        ("When does the mill open?", "At eleven", 1),
        ("When does the mill open?", "Never", 0),
    ]
    assert table["log_prob"].is_monotonic_decreasing


def test_they_are_decided_one_by_one_and_the_decided_leave_the_list(opened, finish, the_studio):
    app = ask(opened(source="own", limit="3"), finish, the_studio)
    app = press(app, "suggest_one_by_one")
    for _ in range(3):
        here = in_sight(app)
        assert "The model answered this" in words(app)
        assert " nats per token." in words(app)
        app = decide(app, "accept" if here == "At [noon]" else "refuse")
    assert "All of these are decided." in words(app)
    (row,) = {each.incorrect for each in demonstrations.present(the_studio(), [1, 2]).values()}
    assert row == (IncorrectAnswer("At [noon]", "model's answer"),)
    app = finish(press(app, "suggest_leave"))
    assert "3 of those that may be wrong are decided." in words(app)
    assert not app.dataframe
    app = ask(app, finish, the_studio)
    assert "0 may be wrong" in words(app)
    assert "2 were refused before" in words(app)


def test_an_unknown_source_in_a_link_is_left_out(opened):
    app = opened(source="elsewhere")
    assert app.session_state["suggest_source"] == "near"
