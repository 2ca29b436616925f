import re
import shutil
from collections import namedtuple

import pytest
import torch
from safetensors import safe_open
from transformers import AutoModelForCausalLM, AutoTokenizer

from core.errors import InvalidInput
from core.generation import GenerationRequest
from core.language_model import AnswerRequest, load
from core.language_model.gguf_header import LLAMA3_ROPE
from core.language_model.hub import find_folder
from tests.support.gguf_files import GGUF_ARCHITECTURES, use_sentencepiece, write_gguf
from tests.support.tiny_language_model import CHATML, build_tiny_language_model

PROMPT = "Q: What is the capital of France?\nA:"
REQUESTS = [
    AnswerRequest(PROMPT, (" Paris", " The capital is 12 or 345?", " é 漢")),
    AnswerRequest("Yes, no, never, always, nothing. " * 5, (" It is in the sky.", "\n\n1")),
]


@pytest.fixture(autouse=True)
def models(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("models")
    monkeypatch.setenv("SHOTLIST_MODELS", str(folder))
    return folder


def written(
    tmp_path, architecture="llama", name="tiny.gguf", quantised=None, keys=None, **settings
):
    folder = build_tiny_language_model(tmp_path / architecture, architecture, **settings)
    return folder, write_gguf(folder, tmp_path / name, quantised=quantised, **(keys or {}))


def assert_same_numbers(found, expected):
    for one, other in zip(found.log_probs(REQUESTS), expected.log_probs(REQUESTS), strict=True):
        for a, b in zip(one, other, strict=True):
            assert a.tokens == pytest.approx(b.tokens, abs=1e-4)
    asked = [GenerationRequest(PROMPT, max_new_tokens=20)]
    assert found.generate(asked)[0][0].tokens == expected.generate(asked)[0][0].tokens


@pytest.mark.parametrize("architecture", GGUF_ARCHITECTURES)
def test_it_is_the_model_that_it_was_made_of(tmp_path, architecture):
    # Files of llama.cpp do not say that Mistral's attention reaches back 64 tokens only.
    settings = {"sliding_window": None} if architecture == "mistral" else {}
    folder, file = written(tmp_path, architecture, **settings)
    assert_same_numbers(load(file), load(folder))


@pytest.mark.parametrize("kind", ["Q8_0", "Q4_1", "Q5_0", "F16"])
def test_quantised_weights_are_those_that_transformers_reads(tmp_path, models, kind):
    _, file = written(tmp_path, "llama", quantised=kind)
    found = load(file)
    plain = AutoModelForCausalLM.from_pretrained(tmp_path, gguf_file=file.name).state_dict()
    (folder,) = (models / "converted").iterdir()
    with safe_open(folder / "model.safetensors", framework="pt") as kept:
        for name in kept.keys():  # noqa: SIM118
            assert torch.equal(kept.get_tensor(name), plain[name])
    assert found.name == f"tiny ({kind})"


def test_it_is_converted_once_and_found_again_where_it_is_moved(tmp_path, models):
    _, file = written(tmp_path)
    first = load(file)
    (folder,) = (models / "converted").iterdir()
    stamp = (folder / "model.safetensors").stat().st_mtime_ns
    moved = tmp_path / "elsewhere" / "renamed.Q4_0.gguf"
    moved.parent.mkdir()
    shutil.move(file, moved)
    again = load(moved.parent)
    assert (again.name, again.fingerprint) == ("renamed.Q4_0 (F32)", first.fingerprint)
    assert (folder / "model.safetensors").stat().st_mtime_ns == stamp


def test_a_file_of_another_ending_is_read_too(tmp_path):
    folder, file = written(tmp_path, name="sha256-0badcafe")
    assert_same_numbers(load(file), load(folder))


def test_its_chat_template_is_used(tmp_path):
    folder, file = written(tmp_path, chat_template=CHATML)
    assert load(file).chat_format == load(folder).chat_format is not None


def test_a_tokenizer_of_sentencepiece_is_read(tmp_path):
    ids = {"bos_token_id": 1, "eos_token_id": 2}
    folder = use_sentencepiece(build_tiny_language_model(tmp_path / "llama", "llama", **ids))
    file = write_gguf(folder, tmp_path / "tiny.gguf")
    tokenizers = [AutoTokenizer.from_pretrained(each) for each in (folder, find_folder(file)[1])]
    for text in (PROMPT, "The capital is 12 or 345?", "é 漢\n\n 1", "two  spaces", ""):
        one, other = (tokenizer(text).input_ids for tokenizer in tokenizers)
        assert one == other
        assert one[0] == 1
    assert_same_numbers(load(file), load(folder))


ROPES = {
    "llama3": {"rope_type": "llama3", "factor": 32.0, **LLAMA3_ROPE},
    "linear": {"rope_type": "linear", "factor": 4.0},
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64},
}


@pytest.mark.parametrize("kind", ROPES)
def test_stretched_positions_are_read(tmp_path, kind):
    rope = {"rope_theta": 500_000.0, **ROPES[kind]}
    folder, file = written(tmp_path, rope_parameters=rope, window=2048)
    assert_same_numbers(load(file), load(folder))


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"llama.rope.scaling.type": "longrope"}, "has positions scaled by 'longrope'"),
        ({"llama.expert_gating_func": 2}, "has the setting 'expert_gating_func'"),
        ({"split.count": 3}, "is one of 3 parts of a model"),
        ({"general.type": "adapter"}, "has no whole model but a part of one (adapter)"),
        ({"tokenizer.ggml.pre": "deepseek-coder"}, "cuts texts as 'deepseek-coder' does"),
        ({"general.architecture": "rwkv7"}, "of the architecture 'rwkv7', which"),
    ],
)
def test_what_would_be_read_wrongly_is_refused_by_name(tmp_path, models, keys, said):
    _, file = written(tmp_path, keys=keys)
    with pytest.raises(InvalidInput, match=re.escape(said)):
        load(file)
    assert not any((models / "converted").glob("*"))


@pytest.mark.parametrize("share", [0.999, 0.5, 0.05])
def test_a_file_that_is_cut_off_is_refused(tmp_path, share):
    _, file = written(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(InvalidInput, match="is damaged, cut off or of an old version"):
        load(file)


def test_of_several_files_one_is_to_be_named(tmp_path):
    _, file = written(tmp_path)
    shutil.copy(file, tmp_path / "other.gguf")
    with pytest.raises(InvalidInput, match=r"has 2 GGUF files \(other.gguf, tiny.gguf\); give"):
        load(tmp_path)


def test_without_room_on_the_disk_nothing_is_left(tmp_path, models, monkeypatch):
    _, file = written(tmp_path)
    usage = namedtuple("usage", "total used free")(10**9, 10**9, 1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage)
    with pytest.raises(InvalidInput, match=r"and .* has 0.0 GB left: free some, or set SHOTLIST_"):
        load(file)
    assert not any((models / "converted").glob("*"))


def test_nothing_is_printed_while_a_file_is_read(tmp_path, capfd):
    _, file = written(tmp_path)
    capfd.readouterr()
    load(file)
    assert capfd.readouterr() == ("", "")


def test_each_digit_is_a_token_of_its_own_where_the_file_says_so(tmp_path):
    """Line ends before a digit are one piece only if digits are cut off first."""
    _, file = written(tmp_path, keys={"tokenizer.ggml.pre": "smollm"})
    _, folder = find_folder(file)
    tokenizer = AutoTokenizer.from_pretrained(folder).backend_tokenizer
    pieces = tokenizer.pre_tokenizer.pre_tokenize_str("a\n\n12")
    assert [piece for piece, _ in pieces] == ["a", "ĊĊ", "1", "2"]
