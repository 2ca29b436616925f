"""The page Programs: questions are answered, the programs compared, and each answer traced."""

from collections import Counter

import pytest

from core.errors import Cancelled
from core.language_model.scripted.model import ScriptedLanguageModel
from core.passages.reading import read_documents
from core.passages.search import SearchBy
from core.settings import data_folder
from core.studio import passages
from core.studio.pools import pools
from core.studio.programs import trials
from core.studio.programs.trial_records import TrialRequest
from core.watcher import Watcher
from tests.support.trials import answers_of

LINK = {
    "do": "answer",
    "pool": "two-hop",
    "programs": "multi-hop,vanilla",
    "passages": "two-hop",
    "by": "bm25",
    "seeds": "1",
    "shots": "4",
    "samples": "3",
    "limit": "8",
}


@pytest.fixture
def two_hop(workspace, every_studio, hashing_encoder, presence, the_studio):
    every_studio(
        load_encoder=lambda name: hashing_encoder,
        load_model=lambda name: ScriptedLanguageModel(),
        presence=presence,
    )
    asked = pools.ImportRequest(data_folder() / "two-hop.jsonl", "two-hop")
    pools.run_import(the_studio(), asked)
    return "two-hop"


@pytest.fixture
def searchable(two_hop, the_studio):
    file = data_folder() / "two-hop-passages.jsonl"
    passages.run_import(
        the_studio(),
        passages.PassagesImportRequest(source=read_documents(file), collection="two-hop"),
    )
    return two_hop


def drawn(app):
    """The HTML of the page's tables and prompts."""
    return [each.proto.body for each in app.get("html")]


def button(app, label):
    (found,) = [each for each in app.button if each.label == label]
    return found


def steps_of(app):
    """The steps of the answer; those of a demonstration come after them."""
    return next(each for each in app.radio if each.label == "Steps")


def texts(app):
    """What the page says, without what keeps Streamlit from reading it as markdown."""
    shown = (*app.markdown, *app.caption, *app.warning, *app.info)
    return [each.value.replace("\\", "") for each in shown]


def ran(open_page, finish, **changed):
    app = open_page("programs", **(LINK | changed))
    button(app, "Run").click().run()
    return finish(app)


def test_programs_are_compared_and_an_answer_is_traced(searchable, open_page, finish, the_studio):
    app = open_page("programs", **LINK)
    assert any("Nothing was run with this pool yet" in each for each in texts(app))
    app = ran(open_page, finish, shots="12")
    report = trials.RUNS.latest(the_studio(), "two-hop").report
    right = sum(each.correct for each in answers_of(report.trial, "multi-hop"))
    (found,) = [each for each in texts(app) if each.startswith("##### ")]
    assert found.startswith(f"##### multi-hop gets {right} of 8 questions right. ")
    assert any("The model is scripted" in each for each in texts(app))
    scores = next(each for each in drawn(app) if "95 % of em" in each)
    assert "multi-hop" in scores
    assert "vanilla" in scores
    first = answers_of(report.trial, "multi-hop")[0]
    assert any("outcome" in each and first.pred in each for each in drawn(app))
    steps = steps_of(app)
    names = [option.lstrip("\N{EM SPACE}").replace("\\", "") for option in steps.options]
    assert (names[0], names[1], names[-1]) == ("1. hop 1", "2. fuse", f"{len(names)}. qa_cot")
    assert steps.value == len(names) - 1, "the last step is open: it has the answer"
    prompt = next(each for each in drawn(app) if "prompt-parts" in each)
    assert first.question in prompt
    assert 'class="augmented"' in prompt
    app = steps.set_value(1).run()
    fused = next(each for each in drawn(app) if "prompt-parts" in each or ">passage<" in each)
    assert "prompt-parts" not in fused, "a search has no prompt"
    search = first.steps[1].search
    assert search.found[0].passage.title in fused
    times = Counter(search.queries)
    assert max(times.values()) > 1
    assert [each for each in texts(app) if each.startswith("Query: ")] == [
        f"Query: {query} ({count} times)" if count > 1 else f"Query: {query}"
        for query, count in times.items()
    ]
    app = app.selectbox(key="programs_row_1").set_value("vanilla").run()
    assert not [each for each in app.radio if each.label == "Steps"], "there is one step alone"
    assert any(each.startswith("qa: ") and "1 text" in each for each in texts(app))
    assert not app.exception


@pytest.mark.thorough
def test_questions_are_filtered_by_how_the_programs_did(searchable, open_page, finish, the_studio):
    app = ran(open_page, finish)
    trial = trials.RUNS.latest(the_studio(), "two-hop").report.trial
    hops, plain = (answers_of(trial, name) for name in ("multi-hop", "vanilla"))
    apart = [a.question for a, b in zip(hops, plain, strict=True) if a.correct != b.correct]
    assert 0 < len(apart) < 8
    app = app.segmented_control(key="programs_show_1").set_value("apart").run()
    (asked,) = [each for each in app.selectbox if each.label.startswith("Question")]
    assert asked.label == f"Question (of {len(apart)})"
    assert [option.replace("\\", "") for option in asked.options] == apart
    app = asked.set_value(apart[-1]).run()
    expected = next(a for a in hops if a.question == apart[-1])
    assert any(each == f"Accepted: {expected.answers[0]}" for each in texts(app))


def test_one_question_of_ones_own_has_steps_and_no_scores(searchable, open_page, finish):
    app = ran(open_page, finish, question="Where was the author of Nothing born?")
    assert not any(each.startswith("##### ") for each in texts(app))
    (answers,) = [each for each in drawn(app) if ">answer<" in each and ">program<" in each]
    assert "outcome" not in answers
    assert steps_of(app).options
    assert any("the question 'Where was the author of Nothing born?'" in each
               for each in texts(app))  # fmt: skip


@pytest.mark.thorough
def test_how_demonstrations_were_made_is_shown(searchable, open_page, finish, the_studio):
    app = ran(open_page, finish)
    found = trials.RUNS.latest(the_studio(), "two-hop")
    made = found.demonstrations_of(found.answers[0])
    kept, tried = len(made.annotated.augmented), len(made.annotated.attempts)
    label = f"Its demonstrations: {kept} of {tried} training examples worked"
    assert [each.label for each in app.expander if each.label.startswith("Its")] == [label]
    (chosen,) = [each for each in app.selectbox if each.label == "Training example"]
    assert len(chosen.options) == tried
    assert made.annotated.attempts[0].example.question in chosen.options[0].replace("\\", "")


def test_a_run_that_was_cut_off_goes_on(searchable, open_page, finish, the_studio):
    done = []
    watcher = Watcher(
        on_progress=lambda now, total: done.append(now), cancelled=lambda: len(done) >= 4
    )
    knobs = {"shots": 4, "samples": 3}
    request = TrialRequest(programs=("multi-hop", "vanilla"), pool="two-hop", passages="two-hop",
                           knobs=knobs, seeds=1, limit=8, by=SearchBy.BM25)  # fmt: skip
    with pytest.raises(Cancelled):
        trials.run(the_studio(), request, watcher)
    app = open_page("programs", **LINK)
    assert any("was cut off" in each for each in texts(app))
    so_far = next(each for each in drawn(app) if ">answered<" in each)
    assert "vanilla" not in so_far
    button(app, "Go on with it").click().run()
    app = finish(app)
    assert any(each.startswith("##### multi-hop gets") for each in texts(app))
    assert trials.RUNS.latest(the_studio(), "two-hop").settings.basis.run == 1


def test_programs_that_search_need_passages(two_hop, open_page):
    app = open_page("programs", do="answer", pool="two-hop", programs="multi-hop,vanilla")
    assert any("Passages are searched, and there are none" in each for each in texts(app))
    assert button(app, "Run").disabled
    app = app.multiselect(key="programs_programs").set_value(["vanilla"]).run()
    assert not button(app, "Run").disabled
    app = app.multiselect(key="programs_programs").set_value([]).run()
    assert button(app, "Run").disabled
    assert not app.exception


def test_an_example_can_be_loaded_where_there_are_no_passages(two_hop, open_page, the_studio):
    app = open_page("programs", do="answer", programs="multi-hop")
    button(app, "Load the two-hop example").click().run()
    assert not app.exception
    assert app.selectbox(key="sidebar_pool").value == "two-hop"
    assert app.selectbox(key="sidebar_model").value == "scripted"
    assert app.selectbox(key="programs_passages").value == "two-hop"
    assert not button(app, "Run").disabled
    (found,) = the_studio().store.passages.all()
    assert found.passages == 60


def test_the_link_brings_back_what_was_chosen(searchable, open_page):
    app = open_page("programs", **LINK, p_k="2", ablate="without")
    assert app.multiselect(key="programs_programs").value == ["multi-hop", "vanilla"]
    assert app.number_input(key="answers_p_k").value == 2
    assert app.toggle(key="programs_ablate").value is True
    link = dict(app.query_params.items())
    assert {"do", "programs", "passages", "by", "ablate", "p_k", "samples"} <= set(link)
    app = open_page("programs", do="answer", pool="two-hop", programs="conversational")
    assert app.multiselect(key="programs_programs").value == ["retrieve-then-read", "vanilla"]
