import json
import shutil

import pytest

from core.language_model.folder import fingerprint
from tests.support.tiny_language_model import build_tiny_language_model


@pytest.fixture
def copied(tiny_lm_folder, tmp_path):
    folder = tmp_path / "another name"
    shutil.copytree(tiny_lm_folder, folder)
    return folder


def of(folder, dtype="float32"):
    return fingerprint(folder, sorted(folder.glob("*.safetensors")), dtype)


def test_content_counts_and_the_name_does_not(tiny_lm_folder, copied):
    assert of(copied) == of(tiny_lm_folder)
    assert len(of(copied)) == 32


def test_type_counts(tiny_lm_folder):
    assert of(tiny_lm_folder, "bfloat16") != of(tiny_lm_folder, "float32")


def test_one_bit_of_the_weights_counts(copied):
    before = of(copied)
    path = copied / "model.safetensors"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert of(copied) != before


def test_other_weights_of_the_same_shape_count(tiny_lm_folder, tmp_path):
    assert of(build_tiny_language_model(tmp_path, seed=1)) != of(tiny_lm_folder)


def test_same_seed_builds_the_same_model(tiny_lm_folder, tmp_path):
    assert of(build_tiny_language_model(tmp_path)) == of(tiny_lm_folder)


@pytest.mark.parametrize(
    ("file", "key", "value", "same"),
    [
        ("config.json", "rms_norm_eps", 0.5, False),
        ("config.json", "bos_token_id", 1, False),
        ("config.json", "transformers_version", "0.0", True),
        ("config.json", "dtype", "bfloat16", True),
        ("tokenizer_config.json", "bos_token", "<eos>", False),
        ("tokenizer.json", "version", "2.0", False),
    ],
)
def test_what_decides_the_numbers_counts(copied, file, key, value, same):
    before = of(copied)
    path = copied / file
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))
    assert (of(copied) == before) is same
