"""Worth on Review: a run, its list, what is done about it, and where else the figures are shown."""

import pytest

from core.demonstration.demonstration import Draft, Status, incorrect_answers
from core.evaluation.runs.running import RunOptions
from core.reporting.tables.worth import worth_counts, worth_origin
from core.retrieval.knobs import Knobs
from core.studio import Setup
from core.studio.pools import demonstrations
from core.studio.pools.reviewing import begin
from core.studio.runs import worth
from core.studio.runs.worth import WorthRequest
from core.watcher import Watcher
from tests.pages.conftest import parameter, press

POOL = "to judge <b>"
QUERIES = ("Do bats *see*?", "Is glass a liquid?", "Is ice a liquid?", "How deep is the sea?")
ROWS = [
    Draft(query, f"{word}, says the book ({number})", incorrect_answers(("Of course", "Never")))
    for number, query in enumerate(QUERIES)
    for word in ("No", "Not at all")
]


@pytest.fixture
def opened(workspace, workspace_with, language_model, open_page, finish):
    workspace_with(workspace, POOL, ROWS)
    return lambda page="review", **link: finish(open_page(page, pool=POOL, **link))


@pytest.fixture
def judged(opened, the_studio, language_model):
    """A page's opener after the demonstrations were judged, and the figures."""
    opened()
    request = WorthRequest(
        setup=Setup(POOL, None, str(language_model)),
        knobs=Knobs("rel", 2),
        options=RunOptions(limit=3),
    )
    return opened, worth.run(the_studio(), request, Watcher()).summary()


def words(app):
    parts = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error]
    return " ".join(each.value for each in parts).replace("\\", "")


def button(app, label):
    return next(each for each in app.button if each.label == label)


def test_before_the_first_run_the_page_says_what_judging_does(opened):
    app = opened(part="worth", method="rel", k="2")
    assert parameter(app, "part") == "worth"
    assert "Nothing is judged in this pool yet. Judging asks the model" in words(app)
    assert "at most 16 contexts for the model to judge" in words(app).lower()
    assert "what was judged before costs nothing. The contexts are those that rel chooses" in words(
        app
    )


def test_the_button_judges_and_the_figures_are_listed_the_least_first(opened, finish, the_studio):
    app = opened(part="worth", method="rel", k="2", limit="3")
    button(app, "Judge").click().run()
    app = finish(app)
    found = worth.RUNS.latest(the_studio(), POOL)
    assert (found.settings.limit, found.settings.request.k) == (3, 2)
    assert worth_counts(found) in words(app)
    assert worth_origin(found) in words(app)
    table = app.dataframe[0].value
    assert table["id"].tolist() == [each.id for each in found.demonstrations]
    assert table["worth"].tolist() == [each.worth.mean for each in found.demonstrations]
    assert table["contexts"].tolist() == [each.worth.n for each in found.demonstrations]


def test_the_first_of_the_list_is_shown_and_can_be_excluded(judged, the_studio):
    opened, found = judged
    app = opened(part="worth")
    least = found.demonstrations[0].id
    row = demonstrations.present(the_studio(), [least])[least]
    assert row.answer in words(app)
    press(app, f"review_{least}_exclude")
    assert demonstrations.present(the_studio(), [least])[least].status is Status.EXCLUDED
    assert "Judged before 1 edit of the pool" in words(app)
    assert app.dataframe[0].value["status"].tolist()[0] == "excluded"


def test_those_below_zero_are_read_one_by_one(judged, the_studio):
    opened, found = judged
    below = [each.id for each in found.demonstrations if each.worth.mean < 0]
    assert below
    app = opened(part="worth")
    press(app, "review_read_worth")
    queue = the_studio().store.review_queues.get(int(parameter(app, "queue")))
    assert the_studio().store.review_queues.ids(queue.id) == below
    assert queue.name == "Worth the least"
    first = found.demonstrations[0]
    assert f"worth {first.worth} in " in words(app)


def test_reading_says_what_one_is_worth_and_nothing_of_one_that_is_in_no_context(
    judged, the_studio
):
    opened, found = judged
    figures = {each.id: each.worth for each in found.demonstrations}
    ids = [row.id for row in the_studio().store.demonstrations.all(1)]
    for id in ids:
        queue = begin(the_studio(), POOL, f"one {id}", [id])
        assert ("worth " in words(opened(queue=str(queue.id)))) is (id in figures)


def test_the_table_is_searched_and_sorted_by_worth(judged, the_studio):
    opened, found = judged
    means = {each.id: each.worth.mean for each in found.demonstrations}
    app = opened("demonstrations", search="worth:<0")
    table = app.dataframe[0].value
    assert table["id"].tolist() == sorted(id for id, mean in means.items() if mean < 0)
    assert table["worth"].tolist() == [means[id] for id in table["id"]]
    app = opened("demonstrations", sort="worth")
    ranked = sorted(means, key=lambda id: (means[id], id))
    rest = [row.id for row in the_studio().store.demonstrations.all(1) if row.id not in means]
    assert app.dataframe[0].value["id"].tolist() == [*ranked, *rest]


def test_before_anything_is_judged_the_table_says_so(opened):
    app = opened("demonstrations", sort="worth")
    assert "Nothing is judged yet, see Review: the rows are ordered by id." in words(app)
    app = opened("demonstrations", search="worth:<0")
    assert "judge it on Review, and search by worth: then" in words(app)


def test_with_a_method_that_chooses_nothing_there_is_nothing_to_judge(opened):
    app = opened(part="worth", method="none")
    assert "The contexts are empty, since none is the method set on Explore" in words(app)
    (judge,) = [each for each in app.button if each.label == "Judge"]
    assert judge.disabled


def test_a_run_that_judged_none_is_not_one_that_is_missing(opened, the_studio, language_model):
    setup = Setup(POOL, None, str(language_model))
    request = WorthRequest(setup=setup, knobs=Knobs("rel", 0), options=RunOptions(limit=3))
    worth.run(the_studio(), request, Watcher())
    app = opened("demonstrations", search="worth:<0")
    assert not app.dataframe
    assert "judge it on Review" not in words(app)
    assert "Nothing is judged yet" not in words(opened("demonstrations", sort="worth"))


def test_a_pool_without_demonstrations_has_nothing_to_judge(
    workspace, workspace_with, language_model, open_page, finish
):
    workspace_with(workspace, POOL, [Draft("Do bats see?", "Yes", status=Status.EXCLUDED)])
    app = finish(open_page("review", pool=POOL, part="worth"))
    assert not app.exception
    assert button(app, "Judge").disabled
