import json
import shutil
import subprocess
import sys

import pytest
import torch

from core.errors import InvalidInput
from core.language_model import AnswerRequest, load
from tests.support.tiny_language_model import build_tokenizer


@pytest.fixture
def copied(tiny_lm_folder, tmp_path):
    folder = tmp_path / "copied"
    shutil.copytree(tiny_lm_folder, folder)
    return folder


def change_config(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def refusal(folder, **options):
    with pytest.raises(InvalidInput) as caught:
        load(folder, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


def test_what_a_model_says_of_itself(tiny_lm_folder):
    model = load(tiny_lm_folder)
    weights = torch.nn.ModuleList([model._network])
    assert model.parameters == sum(p.numel() for p in weights.parameters())
    assert (model.device, model.dtype) == (
        "cuda" if torch.cuda.is_available() else "cpu",
        "float32",
    )
    assert model.window == 256
    assert model.name == tiny_lm_folder.name


@pytest.mark.parametrize(
    ("name", "window", "parameters"),
    [
        ("stories260k", 512, 260_032),
        ("tinystories-656k", 512, 656_000),
        ("practice-prototype", 1024, 852_096),
    ],
)
def test_trained_models(shared, name, window, parameters):
    model = load(str(shared / "models" / name))
    assert (model.name, model.window, model.parameters) == (name, window, parameters)


def test_window_named_otherwise_or_not_at_all(architecture_folders, tmp_path):
    assert load(architecture_folders["gpt2"]).window == 256
    folder = tmp_path / "bloom"
    shutil.copytree(architecture_folders["bloom"], folder)
    assert load(folder).window == 256  # Bloom names none, its tokenizer does
    path = folder / "tokenizer_config.json"
    stated = json.loads(path.read_text())
    del stated["model_max_length"]
    path.write_text(json.dumps(stated))
    assert load(folder).window == 2048


def test_asked_type_is_used_and_changes_numbers_a_little(tiny_lm_folder):
    exact, coarse = (
        load(tiny_lm_folder, device="cpu"),
        load(tiny_lm_folder, dtype="bfloat16", device="cpu"),
    )
    assert coarse.dtype == "bfloat16"
    assert coarse.fingerprint != exact.fingerprint
    asked = [AnswerRequest("Q: What?\nA:", (" Paris", " No, never"))]
    for a, b in zip(exact.log_probs(asked)[0], coarse.log_probs(asked)[0], strict=True):
        assert a.total != b.total
        assert a.total == pytest.approx(b.total, abs=0.5)


def test_loading_reads_a_folder_by_any_path(tiny_lm_folder, monkeypatch):
    monkeypatch.chdir(tiny_lm_folder.parent)
    assert load(tiny_lm_folder.name).name == tiny_lm_folder.name
    monkeypatch.chdir(tiny_lm_folder)
    assert load(".").name == tiny_lm_folder.name


def test_no_such_folder():
    assert "no model folder 'no/such/folder'" in refusal("no/such/folder")
    assert "no model folder ''" in refusal("")
    assert "no model folder './none'" in refusal("./none")


def test_file_instead_of_a_folder(tiny_lm_folder):
    assert "is a file" in refusal(tiny_lm_folder / "config.json")


def test_empty_folder(tmp_path):
    assert f"{str(tmp_path)!r} has no config.json" in refusal(tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"model_type": "unheard-of"}', "\x00"])
def test_damaged_or_unknown_config(copied, text):
    (copied / "config.json").write_text(text)
    assert "config.json of model" in refusal(copied)


def test_code_that_comes_with_a_model_is_not_run(copied):
    change_config(copied, model_type="own", auto_map={"AutoConfig": "own.Config"})
    (copied / "own.py").write_text("raise SystemExit('ran')")
    assert "no code that comes with a model is run" in refusal(copied)


def test_folder_without_tokenizer(copied):
    for path in copied.glob("tokenizer*"):
        path.unlink()
    assert "has no tokenizer" in refusal(copied)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"model": {"type": "Other"}}'])
def test_damaged_tokenizer(copied, text):
    (copied / "tokenizer.json").write_text(text)
    assert "tokenizer of model" in refusal(copied)


def test_pickled_weights_are_refused(copied):
    (copied / "model.safetensors").rename(copied / "pytorch_model.bin")
    message = refusal(copied)
    assert "no model.safetensors" in message
    assert "pytorch_model.bin is never read" in message


def test_no_weights_at_all(copied):
    (copied / "model.safetensors").unlink()
    assert "no model.safetensors;" in refusal(copied)


@pytest.mark.parametrize("keep", [0, 7, 500, -100])
def test_weights_cut_off(copied, keep):
    path = copied / "model.safetensors"
    path.write_bytes(path.read_bytes()[:keep])
    assert "model.safetensors of model" in refusal(copied)
    assert "damaged or cut off" in refusal(copied)


def test_weights_of_another_shape(copied):
    change_config(copied, intermediate_size=80)
    assert "do not fit its config.json" in refusal(copied)


def test_weights_that_lack_a_layer(copied):
    change_config(copied, num_hidden_layers=3)
    assert "lack 9 parts" in refusal(copied)


def test_weights_that_are_not_numbers(copied):
    from safetensors.torch import load_file, save_file

    weights = load_file(copied / "model.safetensors")
    weights["model.norm.weight"][:] = float("nan")
    save_file(weights, copied / "model.safetensors", metadata={"format": "pt"})
    assert "no finite numbers" in refusal(copied)


def sharded(folder):
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    half = len(weights) // 2
    mapped = {}
    for number, names in enumerate([list(weights)[:half], list(weights)[half:]], start=1):
        file = f"model-0000{number}-of-00002.safetensors"
        save_file({n: weights[n] for n in names}, folder / file, metadata={"format": "pt"})
        mapped |= dict.fromkeys(names, file)
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {}, "weight_map": mapped})
    )


def test_weights_in_several_files(copied, tiny_lm_folder):
    sharded(copied)
    asked = [AnswerRequest("Q: What?\nA:", (" Paris",))]
    found, expected = (
        load(folder, device="cpu").log_probs(asked)[0][0] for folder in (copied, tiny_lm_folder)
    )
    assert found.tokens == pytest.approx(expected.tokens, abs=1e-6)


def test_one_of_several_files_missing_and_a_damaged_list(copied):
    sharded(copied)
    (copied / "model-00002-of-00002.safetensors").unlink()
    assert "model-00002-of-00002.safetensors is missing" in refusal(copied)
    for damaged in ("[]", "{", "{}", '{"weight_map": {}}'):
        (copied / "model.safetensors.index.json").write_text(damaged)
        assert "index.json of model" in refusal(copied)


@pytest.mark.parametrize("kind", ["BertForMaskedLM", "BertLMHeadModel", "BertModel"])
def test_encoder_is_refused(tmp_path, kind):
    import transformers

    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=400, hidden_size=32, num_hidden_layers=2, num_attention_heads=4
    )
    getattr(transformers, kind)(config).save_pretrained(tmp_path)
    build_tokenizer(adds_bos=True).save_pretrained(tmp_path)
    assert "causal language model" in refusal(tmp_path)


def test_model_with_an_encoder_is_refused(copied):
    change_config(copied, model_type="t5", is_encoder_decoder=True)
    assert "(t5) is not a causal language model" in refusal(copied)


def test_unknown_device_and_type(tiny_lm_folder):
    assert "device 'abacus' is not on this machine" in refusal(tiny_lm_folder, device="abacus")
    assert "device 'cuda:99'" in refusal(tiny_lm_folder, device="cuda:99")
    assert "number type 'int3' is unknown" in refusal(tiny_lm_folder, dtype="int3")


def test_nothing_heavy_is_imported_with_the_package():
    code = (
        "import sys, core.language_model;"
        "print([m for m in ('torch', 'transformers', 'huggingface_hub') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_loading_prints_nothing(tiny_lm_folder, capfd):
    load(tiny_lm_folder)
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")
