"""Work that a page waits for: what it is named while it goes on."""

import threading

from streamlit.testing.v1 import AppTest


def page(studio, job, stops=False):
    from pages.common.frame.watching import watch

    watch(studio, job, "Again", stops=stops)


def test_the_bar_names_the_work_and_what_is_counted(the_studio):
    reached, release = threading.Event(), threading.Event()

    def work(job):
        job.enter("comparing queries")
        job.progress(209, 2000)
        reached.set()
        release.wait(60)

    studio = the_studio()
    job = studio.pool_worker.submit("check", "Checking moons", work)
    assert reached.wait(60)
    try:
        app = AppTest.from_function(page, args=(studio, job)).run()
        assert not app.exception
        (bar,) = app.get("progress")
        assert bar.proto.text.replace("\\", "") == "Checking moons, comparing queries: 209 of 2,000"
    finally:
        release.set()
    assert job.wait(60)


def test_what_can_be_stopped_while_nothing_is_counted_has_its_button(the_studio):
    reached = threading.Event()

    def work(job):
        job.publish("Loading UMAP")
        reached.set()
        while not job.cancel_asked:
            job.pause(60)
        job.watcher().checkpoint()

    studio = the_studio()
    job = studio.pool_worker.submit("check", "Mapping moons", work)
    assert reached.wait(60)
    assert not AppTest.from_function(page, args=(studio, job)).run().button
    app = AppTest.from_function(page, args=(studio, job, True)).run()
    assert app.get("progress")[0].proto.text == "Mapping moons\\: Loading UMAP"
    app.button[0].click().run()
    assert job.wait(60)
    app.run()
    assert app.info[0].value == "Mapping moons was cancelled\\."
    assert [each.label for each in app.button] == ["Again"]
