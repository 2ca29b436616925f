"""Pages with a model behind a server: what works, and why the rest does not, in one sentence."""

import pytest

from tests.pages.test_explore_page import details, words
from tests.support.openai_server import KEY, Offer, Words, answering, serving, status

WHY = "'openai:tiny' cannot score answers: the server gives no log-probabilities of the prompt."


@pytest.fixture
def offer():
    """What the server has; a test may change it."""
    return Offer()


@pytest.fixture
def scores(monkeypatch, offer):
    """The base URL of a server of words that scores, chosen as a user chooses it."""
    with serving(Words(), offer) as (url, _):
        monkeypatch.setenv("SHOTLIST_OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("SHOTLIST_MODEL", "openai:tiny")
        yield url


@pytest.fixture
def generates_only(scores, offer):
    """The same of one that only writes."""
    offer.echo = offer.prompt_logprobs = False
    return scores


def host(url):
    return url.removeprefix("http://").removesuffix("/v1")


def plain_words(app):
    shown = [each.value for kind in ("caption", "info", "markdown") for each in getattr(app, kind)]
    return " ".join(shown).replace("\\", "")


def test_a_model_that_only_writes_answers_itself_and_pages_say_why_nothing_is_scored(
    small_pool, generates_only, open_page, finish
):
    app = details(finish(open_page("explore", k="2")), "own")
    app = finish(app)
    assert not app.error
    text = plain_words(app)
    assert WHY in text
    assert f"openai:tiny at {host(generates_only)}, generates only: the server gives" in text
    assert f"model openai:tiny at {host(generates_only)}" in text
    answer, alone = (each.value for each in app.code)
    assert alone == "nothing"
    assert "says the book" in answer
    assert "4 tokens" not in text
    assert KEY not in text
    for page, button in (("calibrate", "Calibrate"), ("compare", "Compare")):
        app = finish(open_page(page))
        (start,) = [each for each in app.button if each.label == button]
        assert start.disabled
        assert WHY in plain_words(app)


def test_what_a_server_refuses_is_one_sentence_and_can_be_tried_again(
    small_pool, generates_only, offer, open_page, finish
):
    app = finish(open_page("explore", k="2"))
    offer.faults.append(status(401))
    app = finish(details(app, "own"))
    (error,) = app.error
    assert "refused the key (status 401); set OPENAI" in error.value.replace("\\", "")
    assert KEY not in error.value
    app.button(key="explore_own_again").click()
    app = finish(app.run())
    assert not app.error
    assert app.code[1].value == "nothing"


def test_a_model_that_scores_shows_what_the_context_does(small_pool, scores, open_page, finish):
    app = finish(open_page("explore", k="2", view="answers"))
    assert not app.error
    assert f"openai:tiny at {host(scores)}, scores and generates" in plain_words(app)
    assert "cannot score" not in plain_words(app)
    assert "DPO" in words(app)
    app = details(app, "prompt")
    assert "Its tokens are not counted: the model's tokenizer is on its server." in plain_words(app)


def test_what_is_no_answer_is_shown_as_that_and_thoughts_are_folded(
    small_pool, generates_only, offer, open_page, finish
):
    offer.completions = False
    app = finish(open_page("explore", k="2"))
    offer.faults.append(answering(None, refusal="I cannot say.", model="other"))
    offer.faults.append(answering("<think>\nIt is old.\n</think>\nYes", "stop"))
    app = finish(details(app, "own"))
    assert not app.error
    text = plain_words(app)
    assert {each.value for each in app.code} == {"I cannot say.", "Yes"}
    assert "No answer, so no figure counts it. The model declined to answer." in text
    assert "The server says that other answered, and not tiny." in (
        app.warning[0].value.replace("\\", "")
    )
    (thoughts,) = [each for each in app.expander if each.label.startswith("Thoughts")]
    assert [each.value for each in thoughts.text] == ["It is old."]
    assert not thoughts.proto.expanded
