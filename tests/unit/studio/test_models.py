"""Which language models are offered, and how the practice model is named."""

from core.settings import practice_model_folder
from core.studio import Studio
from core.studio.models import describe, model_choices


def test_the_practice_model_is_always_offered(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    (choice,) = model_choices()
    weights = practice_model_folder() / "model.safetensors"
    assert (choice.name, choice.size) == ("practice", weights.stat().st_size)


def test_models_of_the_environment_and_the_hub_cache_come_first(
    monkeypatch, tmp_path, tiny_lm_folder
):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("SHOTLIST_MODEL", str(tiny_lm_folder))
    for name, architecture in (("org--causal", "LlamaForCausalLM"), ("org--bert", "BertModel")):
        folder = tmp_path / f"models--{name}" / "snapshots" / "1"
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(f'{{"architectures": ["{architecture}"]}}')
        (folder / "model.safetensors").write_bytes(b"12345678")
    names = [choice.name for choice in model_choices()]
    assert names == [str(tiny_lm_folder), "org/causal", "practice"]


def test_practice_is_loaded_by_its_name(tmp_path):
    with Studio.open(tmp_path / "workspace") as studio:
        about = describe(studio.language_model("practice"))
    assert (about.parameters, about.window, about.dtype) == (1_071_872, 1_024, "float32")
