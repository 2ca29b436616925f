"""The proxy between here and a server: which one, and what is said where it does not work."""

import builtins
import socket
from urllib.parse import urlsplit

import pytest

from core.errors import InvalidInput
from core.language_model.server import address as proxies
from core.language_model.server.address import address_of, find_proxy, is_here
from tests.support.openai_server import Offer, serving, status

VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
AWAY = "http://gpu.test/v1"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in VARIABLES:
        for each in (name, name.lower()):
            monkeypatch.delenv(each, raising=False)
    return monkeypatch.setenv


@pytest.fixture
def nobody():
    """The URL of a port on which nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


def proxy_for(url):
    return find_proxy(urlsplit(url))


@pytest.mark.parametrize(
    ("name", "url", "used"),
    [
        ("HTTP_PROXY", "http://gpu.test/v1", True),
        ("http_proxy", "http://gpu.test/v1", True),
        ("HTTP_PROXY", "https://gpu.test/v1", False),
        ("HTTPS_PROXY", "https://gpu.test/v1", True),
        ("ALL_PROXY", "https://gpu.test/v1", True),
        ("all_proxy", "http://gpu.test:8000/v1", True),
    ],
)
def test_the_proxy_is_the_one_of_the_scheme_or_of_all(environment, name, url, used):
    environment(name, "proxy.test:3128")
    found = proxy_for(url)
    assert (found is not None) == used
    if found is not None:
        assert (found.url, found.shown) == ("http://proxy.test:3128",) * 2
        assert found.named_by == name


def test_the_schemes_own_proxy_comes_first_and_others_are_not_looked_at(environment):
    environment("ALL_PROXY", "socks9://nothing")
    environment("HTTPS_PROXY", "http://b.test")
    assert proxy_for("https://gpu.test/v1").shown == "http://b.test"
    environment("HTTPS_PROXY", "")
    with pytest.raises(InvalidInput, match="ALL_PROXY"):
        proxy_for("https://gpu.test/v1")


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST", "api.localhost", "127.0.0.1", "127.1.2.3", "[::1]", "0.0.0.0"],
)
@pytest.mark.parametrize("proxy", ["http://proxy.test:3128", "socks5h://s.test", "nonsense://"])
def test_no_proxy_is_taken_to_this_machine(environment, host, proxy):
    environment("ALL_PROXY", proxy)
    environment("HTTP_PROXY", proxy)
    assert proxy_for(f"http://{host}:8000/v1") is None


def test_what_only_looks_like_this_machine_is_elsewhere():
    hosts = ("mylocalhost", "localhost.test", "128.0.0.1", "10.0.0.1", "gpu", "")
    assert not any(map(is_here, hosts))


@pytest.mark.parametrize(
    ("url", "left_out", "direct"),
    [
        (AWAY, "gpu.test", True),
        (AWAY, " other, .test ", True),
        (AWAY, "test", True),
        (AWAY, "pu.test", False),
        (AWAY, "*.test", True),
        (AWAY, "other,*", True),
        (AWAY, "10.0.0.0/8", False),
        ("http://10.1.2.3:8000/v1", "10.0.0.0/8", True),
        ("http://10.1.2.3:8000/v1", "10.1.2.3", True),
        ("http://10.1.2.3:8000/v1", "10.1.2.3:8000", True),
        ("http://10.1.2.3:8000/v1", "11.0.0.0/8", False),
        ("http://[fd00::5]:8000/v1", "fd00::/8", True),
        (AWAY, "", False),
        (AWAY, ",", False),
    ],
)
def test_hosts_that_need_no_proxy(environment, url, left_out, direct):
    environment("HTTP_PROXY", "http://proxy.test:3128")
    environment("NO_PROXY", left_out)
    assert (proxy_for(url) is None) == direct


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
def test_a_socks_proxy_needs_its_package(environment, monkeypatch, scheme):
    environment("ALL_PROXY", f"{scheme}://anna:hidden@s.test:1080")
    monkeypatch.setattr(proxies, "find_spec", lambda name: None)
    with pytest.raises(InvalidInput, match="needs the package socksio") as refused:
        address_of(AWAY)
    said = str(refused.value)
    assert f"{scheme}://s.test:1080" in said
    assert "ALL_PROXY" in said
    assert "gpu.test into NO_PROXY" in said
    assert "hidden" not in said
    monkeypatch.setattr(proxies, "find_spec", lambda name: name)
    assert proxy_for(AWAY).shown == f"{scheme}://s.test:1080"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("socks://s.test:1080/", "is of the kind 'socks'; write one that begins with http://"),
        ("socks4a://s.test", "is of the kind 'socks4a'"),
        ("ftp://s.test", "is of the kind 'ftp'"),
        ("http://", "cannot be read"),
        ("http://s.test:port", "cannot be read"),
        ("http://s te.st", "cannot be read"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_refused_before_anything_is_sent(environment, given, said):
    environment("http_proxy", given)
    with pytest.raises(InvalidInput, match=said) as refused:
        address_of(AWAY)
    assert "http_proxy" in str(refused.value)


def test_a_server_elsewhere_is_reached_through_its_proxy(environment, reach, words):
    with serving(words) as (url, offer):
        environment("HTTP_PROXY", url.removesuffix("/v1"))
        model = reach(AWAY)
        assert model.abilities.scores
        assert offer.asked


def test_a_server_on_this_machine_is_reached_whatever_proxies_are_named(
    environment, reach, server, nobody
):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        environment(name, nobody)
    assert reach(server[0]).abilities.scores
    environment("ALL_PROXY", "socks5h://s.test:1080")
    assert reach(server[0].replace("127.0.0.1", "localhost")).abilities.scores


def test_a_proxy_that_does_not_answer_is_named_at_once(environment, reach, nobody):
    environment("http_proxy", nobody.replace("//", "//anna:hidden@"))
    with pytest.raises(InvalidInput, match="does not answer") as refused:
        reach(AWAY, tries=10_000)
    assert str(refused.value).startswith(f"The proxy {nobody}, which http_proxy names, does not")
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize("url", [AWAY, AWAY.replace("http:", "https:")], ids=["http", "https"])
def test_a_proxy_that_lets_nothing_through_is_named(environment, reach, words, url):
    with serving(words, Offer(models=False)) as (proxy, offer):
        environment("ALL_PROXY", proxy.removesuffix("/v1"))
        offer.faults.extend([status(407, "no name")] * 3)
        with pytest.raises(
            InvalidInput, match="which ALL_PROXY names, refused the conn"
        ) as refused:
            reach(url)
    assert "NO_PROXY" in str(refused.value)


def test_a_name_that_nobody_knows_is_said(reach):
    with pytest.raises(
        InvalidInput, match="The name of the host in http://no-such-host.invalid/v1"
    ):
        reach("http://no-such-host.invalid/v1", tries=10_000)


def test_a_server_without_https_is_said(reach, server):
    with pytest.raises(InvalidInput, match="speaks no https: set SHOTLIST_OPENAI_BASE_URL"):
        reach(server[0].replace("http:", "https:"), tries=10_000)


def test_certificates_that_are_not_there_are_named_where_they_are_needed(
    environment, reach, server, tmp_path
):
    missing = tmp_path / "missing.pem"
    environment("SSL_CERT_FILE", str(missing))
    assert reach(server[0]).abilities.scores
    with pytest.raises(InvalidInput, match="cannot be read: No such file") as refused:
        reach("https://gpu.test/v1")
    assert str(missing) in str(refused.value)


def test_a_package_that_is_missing_is_named(reach, server, monkeypatch):
    real = builtins.__import__

    def without_openai(name, *others):
        if name == "openai":
            raise ModuleNotFoundError("No module named 'openai'")
        return real(name, *others)

    monkeypatch.setattr(builtins, "__import__", without_openai)
    with pytest.raises(InvalidInput, match=r"needs the package openai.*pip install -r"):
        reach(server[0])
