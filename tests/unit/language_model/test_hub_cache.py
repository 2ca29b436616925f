"""The models of the local hub cache: what is whole is listed, what is broken is passed over."""

import json

import pytest

from core.language_model import AnswerRequest, load
from core.language_model.hub import CachedModel, cached_models

SHARDS = {"metadata": {}, "weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}


def names():
    return [model.name for model in cached_models()]


def test_an_absent_and_an_empty_cache_have_none(hub_cache):
    assert cached_models() == []
    hub_cache.mkdir()
    assert cached_models() == []


def test_models_are_listed_by_name_with_the_size_of_their_weights(cache_model, tiny_lm_folder):
    for name in ("some/tiny-llama", "gpt-like", "a--b/c"):
        cache_model(name, tiny_lm_folder)
    size = (tiny_lm_folder / "model.safetensors").stat().st_size
    assert sorted(names()) == ["a/b/c", "gpt-like", "some/tiny-llama"]
    assert {model.size for model in cached_models()} == {size}


def test_a_listed_model_is_loaded_and_scores(cache_model, tiny_lm_folder, monkeypatch):
    monkeypatch.setattr("core.language_model.hub._fetched", None)
    cache_model("some/tiny", tiny_lm_folder)
    request = AnswerRequest("Q: Where?\nA:", (" Here.",))
    ((cached,),) = load(names()[0], device="cpu").log_probs([request])
    ((direct,),) = load(tiny_lm_folder, device="cpu").log_probs([request])
    assert cached == direct


def test_a_later_revision_counts_once(cache_model, tiny_lm_folder):
    snapshot = cache_model("some/tiny", tiny_lm_folder)
    older = snapshot.parent / "older"
    older.mkdir()
    (older / "model.safetensors").write_bytes(b"1234")
    size = (tiny_lm_folder / "model.safetensors").stat().st_size
    assert cached_models() == [CachedModel("some/tiny", size)]


@pytest.mark.parametrize("lost", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_download_that_was_broken_off_is_passed_over(cache_model, tiny_lm_folder, lost):
    snapshot = cache_model("some/part", tiny_lm_folder)
    cache_model("some/whole", tiny_lm_folder)
    (snapshot / lost).resolve().rename(snapshot.parent.parent / "blobs" / "x.incomplete")
    assert names() == ["some/whole"]
    (snapshot / lost).unlink()
    assert names() == ["some/whole"]


def test_a_model_in_parts_is_listed_when_all_are_there(cache_model, tiny_lm_folder):
    snapshot = cache_model("some/parts", tiny_lm_folder)
    (snapshot / "model.safetensors").unlink()
    (snapshot / "model.safetensors.index.json").write_text(json.dumps(SHARDS))
    (snapshot / "model-1.safetensors").write_bytes(b"123")
    assert names() == []
    (snapshot / "model-2.safetensors").write_bytes(b"4567")
    assert cached_models() == [CachedModel("some/parts", 7)]


@pytest.mark.parametrize(
    "config",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"[]",
        b"null",
        b"{}",
        b'{"architectures": null}',
        b'{"architectures": "LlamaForCausalLM"}',
        b'{"architectures": ["BertModel"]}',
        b'{"architectures": ["T5ForConditionalGeneration", 3]}',
    ],
)
def test_what_is_no_causal_model_or_cannot_be_read_is_passed_over(
    cache_model, tiny_lm_folder, config
):
    snapshot = cache_model("some/odd", tiny_lm_folder)
    (snapshot / "config.json").resolve().write_bytes(config)
    assert names() == []


def test_gpt_2_is_a_causal_model(cache_model, tiny_lm_folder):
    snapshot = cache_model("some/gpt2", tiny_lm_folder)
    (snapshot / "config.json").resolve().write_text('{"architectures": ["GPT2LMHeadModel"]}')
    assert names() == ["some/gpt2"]


def test_adapters_data_sets_and_stray_files_are_passed_over(cache_model, tiny_lm_folder, hub_cache):
    snapshot = cache_model("some/adapter", tiny_lm_folder)
    (snapshot / "model.safetensors").rename(snapshot / "adapter_model.safetensors")
    (snapshot / "adapter_config.json").write_text("{}")
    (hub_cache / "datasets--some--rows").mkdir()
    (hub_cache / "models--a-file").write_text("x")
    (hub_cache / "models--empty").mkdir()
    for name, content in (("bad", b"\xff"), ("blank", b"\n"), ("gone", b"no-such-commit")):
        (hub_cache / f"models--{name}" / "refs").mkdir(parents=True)
        (hub_cache / f"models--{name}" / "refs" / "main").write_bytes(content)
    assert names() == []
