"""Which language models are offered, how practice is named, and the caution on its figures."""

import json

import pytest

from core.settings import chosen_model, data_folder, practice_model_folder
from core.studio import Studio
from core.studio.session.models import NOT_ITS_TASK, ModelChoice, caution, describe, model_choices

CALL = "book_table { Thai as kitchen_style, Lima as town_name }"


pytestmark = pytest.mark.usefixtures("hub_cache")


def test_one_rule_says_which_model_is_chosen(monkeypatch):
    assert (chosen_model(), chosen_model("")) == ("practice", "practice")
    monkeypatch.setenv("SHOTLIST_MODEL", "/models/one")
    assert (chosen_model(), chosen_model("two")) == ("/models/one", "two")


def test_the_practice_model_is_always_offered():
    (choice,) = model_choices()
    weights = practice_model_folder() / "model.safetensors"
    assert (choice.name, choice.size) == ("practice", weights.stat().st_size)
    assert choice.label == "practice (4.3 MB)"


def test_the_chosen_model_comes_first_and_each_stands_there_once(
    monkeypatch, tiny_lm_folder, cache_model
):
    size = (tiny_lm_folder / "model.safetensors").stat().st_size
    cache_model("org/causal", tiny_lm_folder)
    monkeypatch.setenv("SHOTLIST_MODEL", str(tiny_lm_folder))
    choices = model_choices("practice", "org/causal", "org/typed")
    names = [choice.name for choice in choices]
    assert names == [str(tiny_lm_folder), "practice", "org/causal", "org/typed"]
    assert [choice.size for choice in choices] == [size, choices[1].size, size, 0]
    monkeypatch.setenv("SHOTLIST_MODEL", "org/causal")
    assert [choice.name for choice in model_choices()] == ["org/causal", "practice"]


def test_a_gguf_file_and_its_folder_have_the_size_of_the_file(tmp_path):
    file = tmp_path / "one.gguf"
    file.write_bytes(b"GGUF" + bytes(1196))
    sizes = {choice.name: choice.size for choice in model_choices(str(file), str(tmp_path))}
    assert sizes[str(file)] == sizes[str(tmp_path)] == 1200


@pytest.mark.parametrize(
    ("choice", "label"),
    [
        (
            ModelChoice("HuggingFaceTB/SmolLM2-135M", 269_060_552),
            "HuggingFaceTB/SmolLM2-135M (269 MB)",
        ),
        (ModelChoice("/models/large", 14_500_000_000), "large (14 GB)"),
        (ModelChoice("/models/SmolLM2.Q4_1.gguf", 98_362_432), "SmolLM2.Q4_1.gguf (98 MB)"),
        (ModelChoice("~/models/tiny", 91_300), "tiny (91 kB)"),
        (ModelChoice("org/not-here-yet", 0), "org/not-here-yet"),
    ],
)
def test_a_choice_is_labelled_with_its_size(choice, label):
    assert choice.label == label


def test_practice_is_loaded_when_nothing_else_is_chosen(tmp_path):
    with Studio.open(tmp_path / "workspace") as studio:
        model = studio.language_model(None)
        assert studio.loaded_model("practice") is model
        about = describe(model)
    assert (about.name, about.parameters, about.window) == ("practice", 1_071_872, 1_024)
    assert about.dtype == "float32"


def test_a_model_of_the_list_is_loaded_from_the_cache(tmp_path, tiny_lm_folder, cache_model):
    cache_model("org/tiny", tiny_lm_folder)
    (name,) = [choice.name for choice in model_choices() if choice.name != "practice"]
    with Studio.open(tmp_path / "workspace") as studio:
        about = describe(studio.language_model(name))
    assert (about.name, about.window) == ("tiny", 256)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([], ""),
        ([CALL], ""),
        (["Yes."], NOT_ITS_TASK),
        (["Yes."] * 50 + [CALL] * 50, ""),
        (["Yes."] * 51 + [CALL] * 49, NOT_ITS_TASK),
        ([CALL, "No."] * 5_000, ""),
    ],
)
def test_the_practice_model_knows_calls_only(answers, words):
    assert caution("practice", answers) == words
    assert caution("org/other", answers) == ""


@pytest.mark.parametrize(
    ("pool", "words"),
    [("service-desk", ""), ("service-desk-curated", ""), ("misconceptions", NOT_ITS_TASK)],
)
def test_of_the_bundled_pools_it_knows_the_service_desks(pool, words):
    lines = (data_folder() / f"{pool}.jsonl").read_text(encoding="utf-8").splitlines()
    answers = [answer for line in lines for answer in json.loads(line)["answers"]]
    assert caution("practice", answers) == words
