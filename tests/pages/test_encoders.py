"""The choice of the encoder, and the offer of the multilingual one, in one press."""

import pytest

from core.demonstration.demonstration import Draft
from core.embedding.encoder import no_token_rows
from core.settings import DEFAULT_ENCODER, MULTILINGUAL
from tests.pages.conftest import errors, parameter, press
from tests.support.hashing_encoder import HashingEncoder

GERMAN = [
    Draft(query, "Ja", ())
    for query in (
        "Wo ist mein Paket?",
        "Wie ändere ich mein Passwort?",
        "Ich möchte mein Abo kündigen.",
        "Wann wird der Müll abgeholt?",
        "Darf ich das Fahrrad im Zug mitnehmen?",
    )
]
GREEK = [Draft(query, "Ναι", ()) for query in ("Πού είναι το δέμα μου;", "Πότε ανοίγει;")]
ENGLISH = [Draft(query, "Yes", ()) for query in ("Where is my parcel?", "When does it open?")]
OFFER = "use_multilingual_page"


@pytest.fixture
def pools(workspace, workspace_with, every_studio, load_once, presence):
    """A workspace with a pool of that language, whose encoders bear their real names."""
    made = {name: HashingEncoder(name=name) for name in (DEFAULT_ENCODER, "own")}
    made[MULTILINGUAL] = OfWholeTexts(name=MULTILINGUAL)

    def load(name=None):
        return made[name or DEFAULT_ENCODER]

    def make(name, drafts):
        workspace_with(workspace, name, drafts)
        every_studio(load_encoder=load, load_model=load_once, presence=presence)

    return make


class OfWholeTexts(HashingEncoder):
    def encode_tokens(self, texts, **options):
        raise no_token_rows(self.name)


def offered(app):
    return OFFER in {each.key for each in app.button}


def said(app):
    texts = [each.value.replace("\\", "") for each in app.warning]
    return [each for each in texts if each.startswith("This encoder is for English")]


def encoder(app):
    return app.sidebar.selectbox(key="sidebar_encoder").value


@pytest.mark.parametrize("page", ["explore", "compare", "calibrate", "programs"])
def test_every_page_with_cautions_offers_it_for_a_german_pool(pools, open_page, finish, page):
    pools("post", GERMAN)
    app = finish(open_page(page, pool="post"))
    assert app.button(key=OFFER).label == "Read it with the multilingual encoder"
    assert said(app) == [
        "This encoder is for English. Judged by their letters and frequent words, 100 % of the "
        "queries are in another language (most often in German), so relevance says little. Choose "
        "use-multilingual-v3, an encoder for sixteen languages, or the method bm25, which compares "
        "words."
    ]


def test_one_press_reads_the_pool_with_it(pools, open_page, finish, the_studio):
    pools("post", GERMAN)
    app = finish(open_page("explore", pool="post"))
    assert encoder(app) == DEFAULT_ENCODER
    app = finish(press(app, OFFER))
    assert (encoder(app), offered(app), said(app)) == (MULTILINGUAL, False, [])
    assert parameter(app, "encoder") == MULTILINGUAL
    found = the_studio().encoder(MULTILINGUAL).encoded
    assert {draft.query for draft in GERMAN} <= set(found)
    # Whoever goes back to the other one is offered it again.
    app.sidebar.selectbox(key="sidebar_encoder").set_value(DEFAULT_ENCODER).run()
    app = finish(app)
    assert offered(app)
    assert "encoder" not in app.query_params


def test_nothing_is_offered_for_english(pools, open_page, finish):
    pools("english", ENGLISH)
    app = finish(open_page("explore", pool="english"))
    assert (offered(app), said(app)) == (False, [])


def test_letters_that_it_does_not_know_either(pools, open_page, finish):
    pools("greek", GREEK)
    app = finish(open_page("explore", pool="greek"))
    assert not offered(app)
    (sentence,) = said(app)
    assert "Choose an encoder for their language (use-multilingual-v3 is not), or" in sentence


@pytest.mark.thorough
def test_another_encoder_is_typed_and_stays_in_links(pools, open_page, finish):
    pools("post", GERMAN)
    app = finish(open_page("explore", pool="post"))
    app.sidebar.selectbox(key="sidebar_encoder").set_value("Another folder or hub name").run()
    app.sidebar.text_input(key="sidebar_encoder_name").set_value("own").run()
    app = finish(app)
    assert parameter(app, "encoder") == "own"
    app = finish(open_page("explore", pool="post", encoder="own"))
    assert (encoder(app), offered(app)) == ("own", False)


def test_a_link_with_the_multilingual_encoder(pools, open_page, finish):
    pools("post", GERMAN)
    app = finish(open_page("explore", pool="post", encoder=MULTILINGUAL))
    assert (encoder(app), offered(app)) == (MULTILINGUAL, False)


def test_a_method_by_tokens_says_that_this_encoder_has_none(pools, open_page, finish):
    pools("post", GERMAN)
    link = {"pool": "post", "encoder": MULTILINGUAL, "method": "coverage"}
    app = finish(open_page("explore", **link))
    assert errors(app) == [
        "The encoder use-multilingual-v3 has no vectors of tokens, only of whole texts; choose "
        "another encoder, or a method that compares whole texts."
    ]
