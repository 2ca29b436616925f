"""Contexts that give an answer away: the switch on both pages, the counts, Explore's mark."""

import re
import threading

import pytest

from core.demonstration.demonstration import Draft, incorrect_answers
from core.studio import Studio
from core.studio.runs import calibrate, compare
from core.watcher import EMBEDDING, EXAMPLES, QUALITY
from tests.pages.conftest import parameter
from tests.pages.drawn import html_of
from tests.support.gated import gated

EITHER = pytest.mark.parametrize("page", gated(["calibrate", "compare"]))
SERVICES = {"calibrate": calibrate, "compare": compare}
POOL = "leaky <b>pool</b>"
QUERIES = ("Is the moon made of cheese?", "Do bats see well?", "Is glass a slow liquid?")


@pytest.fixture
def leaky_pool(workspace, language_model):
    """Three queries, each twice in other words with the same answer, and two of their own."""
    with Studio.open() as studio:
        drafts = [
            Draft(
                f"{opening}{query}",
                f"No, says book {number}",
                incorrect_answers(("Of course", "Nobody knows")),
            )
            for number, query in enumerate(QUERIES)
            for opening in ("", "Tell me: ")
        ]
        drafts += [
            Draft(f"Alone {number}?", f"Single {number}", incorrect_answers(("No",)))
            for number in range(2)
        ]
        studio.store.demonstrations.add(studio.store.pools.create(POOL).id, drafts)
    return POOL


def words(app):
    parts = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error]
    return " ".join(each.value for each in parts).replace("\\", "")


def html(app):
    return " ".join(html_of(app))


def press(app, label):
    next(each for each in app.button if each.label == label).click().run()


@EITHER
def test_leaks_are_counted_and_the_switch_leaves_them_out(
    page, leaky_pool, open_page, finish, the_studio
):
    # With k = 7 every demonstration of another query is in the context.
    app = finish(open_page(page, k="7", limit="8", settle="False"))
    switch = app.toggle(key=f"{page}_leaks")
    assert switch.value is False
    assert "an answer that 10 or more queries of the pool share" in switch.help.replace("\\", "")
    press(app, page.capitalize())
    finish(app)
    found = SERVICES[page].RUNS.latest(the_studio(), leaky_pool)
    assert found.settings.leave_out_leaks is False
    said = r"in 6 of 8 examples the context gives the answer away"
    assert re.search(f"Leaks: with [^.]+[.0-9, =a-z_]*{said}", words(app))
    if page == "compare":
        assert "<small>contexts</small>" in html(app)
        assert "<td>6<small>of 8</small></td>" in html(app)
        assert re.search(r"Due to leaks</span>\s*<small>nats per triple", html(app))
        assert found.methods["rel"].leakage is not None
        assert re.search(r"They change its DPO per triple by -?[0-9.]+", words(app))
    else:
        assert app.dataframe[-1].value["leaks"].tolist() == [6] * 21
        assert found.advice.gain_without_leaks is not None
    app.toggle(key=f"{page}_leaks").set_value(True).run()
    assert parameter(app, "leaks") == "out"
    press(app, page.capitalize())
    finish(app)
    found = SERVICES[page].RUNS.latest(the_studio(), leaky_pool)
    assert found.settings.leave_out_leaks is True
    assert "Leaks:" not in words(app)
    rows = found.methods.values() if page == "compare" else found.cells
    assert {row.leaks.contexts for row in rows} == {0}


@EITHER
def test_a_link_brings_the_switch(page, leaky_pool, open_page, finish):
    app = finish(open_page(page, leaks="out"))
    assert app.toggle(key=f"{page}_leaks").value is True
    assert parameter(app, "leaks") == "out"
    assert finish(open_page(page, leaks="in")).toggle(key=f"{page}_leaks").value is False


def test_explore_marks_a_leak_and_counts_it(leaky_pool, open_page, finish):
    app = finish(open_page("explore", query=QUERIES[1], k="7", view="context"))
    assert "1 in the context gives its answer away under another query" in words(app)
    table = next(body for body in html(app).split("<table") if "explore context" in body)
    (marked,) = [row for row in table.split("<tr>") if 'class="leak"' in row]
    assert f"Tell me: {QUERIES[1]}" in marked
    alone = finish(open_page("explore", query="Alone 1?", k="7", view="context"))
    assert "under another query" not in words(alone)
    assert 'class="leak"' not in html(alone)


@EITHER
def test_what_a_run_does_first_is_told_apart_from_its_examples(
    page, leaky_pool, open_page, finish, the_studio
):
    finish(open_page(page))
    studio, service = the_studio(), SERVICES[page]
    reached, go_on = threading.Semaphore(0), threading.Semaphore(0)

    def work(job):
        watcher = job.watcher()
        for phase, done, total in ((EMBEDDING, 2, 8), (QUALITY, 8, 8), (EXAMPLES, 0, 6)):
            watcher.on_phase(phase)
            watcher.on_progress(done, total)
            reached.release()
            go_on.acquire(timeout=60)

    studio.model_worker.submit(service.RUNS.slot(studio, leaky_pool), "Phases", work)
    texts = []
    for _ in range(3):
        assert reached.acquire(timeout=60)
        texts.append(open_page(page).get("progress")[0].proto.text)
        go_on.release()
    assert texts == [
        "First, embedding what is not embedded yet: 2 of 8",
        "First, scoring the quality bias that is missing: 8 of 8",
        "0 of 6 examples",
    ]


CSV = b"""query,answer,incorrect
Is ice cold?,Yes,Yes
Is fire hot?,Yes,No
Is fire hot?,No,Perhaps
Is water wet?,Yes,No
Is water WET?,No,Yes
"""


def test_an_import_names_what_it_warns_of_and_shows_those_rows(leaky_pool, open_page):
    app = open_page("demonstrations", section="import")
    app.file_uploader(key="import_file_0").upload("odd.csv", CSV).run()
    assert not app.exception
    odd = [frame.value for frame in app.dataframe if "incorrect in row" in frame.value]
    columns = ["file's row", "query", "correct answer", "incorrect in row"]
    assert [list(frame) for frame in odd] == [columns] * 2
    assert [frame.values.tolist() for frame in odd] == [
        [["1", "Is ice cold?", "Yes", "1"]],
        [["3", "Is fire hot?", "No", "2"]],
    ]
    (alike,) = [frame.value for frame in app.dataframe if "resembles row" in frame.value]
    assert alike.values.tolist() == [
        ["4", "Is water wet?", "Yes", "5"],
        ["5", "Is water WET?", "No", "4"],
    ]
    app.button(key="import_go").click().run()
    assert "Answers that are correct in one row and incorrect in another" in words(app)
    ids = [frame.value["id"].tolist() for frame in app.dataframe if "id" in frame.value]
    assert [len(each) for each in ids] == [1, 1, 2]
    app.button(key="import_show_contradiction").click().run()
    assert app.dataframe[0].value["answer"].tolist() == ["No"]
    assert app.dataframe[0].value["query"].tolist() == ["Is fire hot?"]
    assert app.dataframe[0].value["id"].astype(str).tolist() == ids[1]
    assert "section" not in app.query_params
    app.button(key="demonstrations_show_all").click().run()
    assert len(app.dataframe[0].value) == 5
