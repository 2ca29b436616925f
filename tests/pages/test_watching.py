"""Work that a page waits for: what it is named while it goes on."""

import threading

from streamlit.testing.v1 import AppTest


def page(studio, job):
    from pages.common.frame.watching import watch

    watch(studio, job, "Again")


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
