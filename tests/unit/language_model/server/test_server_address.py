"""Where a server is, what is kept secret of it, and how long it is waited for."""

import pytest

from core.errors import InvalidInput
from core.language_model import load, served_by
from core.language_model.hub import refuse_no_folder
from core.language_model.server.address import AT_ONCE, address_of, find_address
from core.language_model.server.failures import Patience
from core.language_model.server.probing import About, Catalogue, fingerprint_of

URL = "https://anna:hidden@models.example:8443/v1/?token=secret#part"


def test_what_is_shown_of_an_address_has_no_secret():
    found = address_of(URL, "the-long-key")
    assert (found.shown, found.host) == ("https://models.example:8443/v1", "models.example:8443")
    assert found.url == URL
    for secret in ("anna", "hidden", "secret", "the-long-key"):
        assert secret not in repr(found)
    shown = found.without_secrets("Wrong key the-long-key, token=secret.")
    assert shown == "Wrong key ***, ***."
    assert address_of("http://a:p%40ssword@h").without_secrets("p@ssword p%40ssword") == "*** ***"


@pytest.mark.parametrize("letters", [0, 1, 7, 8, 40])
def test_secrets_are_hidden_from_8_letters_on(letters):
    key = "key" * 20
    found = address_of("http://host/v1", key[:letters])
    said = f"The key {key[:letters]} may not use this."
    assert found.without_secrets(said) == (said if letters < 8 else "The key *** may not use this.")


@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("sk-ш0000", "'ш', which cannot be sent, at place 4 of 8"),
        ("sk-ö0000", "'ö', which cannot be sent, at place 4 of 8"),
        ("\u201csk-00\u201d", "which cannot be sent, at place 1 of 7"),
        ("sk-0\nsk-1", "a line end at place 5 of 9"),
        ("sk-0\r\nsk-1", "a line end at place 5 of 10"),
        ("sk-0\x7f", "which cannot be sent, at place 5 of 5"),
    ],
)
def test_a_key_that_no_header_can_have_is_refused_by_its_letter(variable, given, said):
    environment = {"SHOTLIST_OPENAI_BASE_URL": "http://h/v1", variable: given}
    with pytest.raises(InvalidInput, match=said) as refused:
        find_address(environment)
    assert variable in str(refused.value)
    assert "sk" not in str(refused.value)
    environment[variable] = "\n sk-0~!\t\n"
    assert find_address(environment).key in ("sk-0~!", "")


@pytest.mark.parametrize("url", ["http://h o/v1", "http://h/\nv1", "http://h\tx/v1"])
def test_a_url_with_blanks_is_refused(url):
    with pytest.raises(InvalidInput, match="cannot be read"):
        address_of(url)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://127.0.0.1:8000/v1", "127.0.0.1:8000"),
        ("http://[::1]:8000/v1/", "[::1]:8000"),
        ("https://api.example/v1", "api.example"),
    ],
)
def test_the_host_is_shown_with_its_port(url, host):
    assert address_of(url).host == host


@pytest.mark.parametrize(
    "url", ["user:pass@host/v1", "ftp://host/v1", "http://:80", "http://a:port"]
)
def test_what_is_no_url_is_refused_without_showing_it(url):
    with pytest.raises(InvalidInput, match="begins with http:// or https://") as refused:
        address_of(url)
    assert url not in str(refused.value)


def test_the_environment_names_the_server():
    given = {"SHOTLIST_OPENAI_BASE_URL": " http://h/v1 ", "OPENAI_API_KEY": "k"}
    found = find_address(given)
    assert (found.url, found.key, found.at_once) == ("http://h/v1", "k", AT_ONCE)
    assert find_address(given | {"SHOTLIST_OPENAI_CONCURRENCY": "3"}).at_once == 3
    for wrong in ("0", "-1", "many", "1.5"):
        with pytest.raises(InvalidInput, match=r"SHOTLIST_OPENAI_CONCURRENCY is .* 1 or more"):
            find_address(given | {"SHOTLIST_OPENAI_CONCURRENCY": wrong})


@pytest.mark.parametrize("name", ["openai:x", "openai:"])
def test_a_model_behind_a_server_needs_a_name_and_a_base_url(name):
    with pytest.raises(InvalidInput, match=r"set SHOTLIST_OPENAI_BASE_URL|openai:llama3"):
        load(name)


def test_only_a_known_kind_before_a_colon_is_a_server():
    names = ("openai:a/b:c", "practice", "C:\\models\\x", "openai", "hub/name")
    assert [served_by(name) for name in names] == ["openai", None, None, None, None]


def test_no_folder_is_looked_for_behind_a_servers_name():
    refuse_no_folder("openai:/no/such/folder")
    with pytest.raises(InvalidInput, match="There is no model folder"):
        refuse_no_folder("/no/such/folder")


def test_pauses_double_up_to_the_longest_and_lose_at_most_a_half():
    patience = Patience(tries=6, base=1.0, longest=5.0)
    for tried, most in ((1, 1.0), (2, 2.0), (3, 4.0), (4, 5.0), (5, 5.0)):
        assert most / 2 <= patience.pause(tried, None) <= most
    assert patience.pause(6, None) is None
    assert Patience(base=0.0).pause(1, None) == 0.0
    assert Patience(tries=1).pause(1, None) is None


def test_a_pause_that_the_server_asks_for_is_kept_or_there_is_none():
    patience = Patience(longest=5.0)
    assert [patience.pause(1, asked) for asked in (0.0, 3.0, 5.0, -7.0)] == [0.0, 3.0, 5.0, 0.0]
    assert patience.pause(1, 5.1) is None


VLLM = {"id": "a/b", "created": 1, "owned_by": "vllm", "root": "a/b", "max_model_len": 8192}
LLAMA = {"id": "m.gguf", "created": 2, "meta": {"n_ctx_train": 4096, "n_params": 7_000_000}}


def test_a_list_of_models_says_window_and_parameters():
    found = Catalogue.from_json({"data": [VLLM, LLAMA, {"id": "llama3:latest"}, {"no": "id"}, 7]})
    assert found.names == ("a/b", "m.gguf", "llama3:latest")
    about = [found.of(name) for name in ("a/b", "m.gguf", "llama3", "other")]
    assert [each.window for each in about] == [8192, 4096, None, None]
    assert [each.parameters for each in about] == [None, 7_000_000, None, None]
    assert about[3] == About()


@pytest.mark.parametrize("given", [None, "text", [], {}, {"data": None}, {"data": {"id": "x"}}])
def test_what_is_no_list_of_models_lists_none(given):
    assert Catalogue.from_json(given) == Catalogue()


def test_the_fingerprint_is_of_the_server_the_name_and_what_is_said_but_the_time():
    def made(url="http://h/v1", name="a/b", endpoint="completions", **other):
        return fingerprint_of(url, name, endpoint, About.from_json(VLLM | other))

    assert len(made()) == 32
    assert made(created=99, permission=[{"id": "random"}]) == made()
    changed = [made("http://i/v1"), made(name="c"), made(endpoint="chat"), made(root="other")]
    assert len({made(), made(max_model_len=1), *changed}) == 6
