"""The Fusion-in-Decoder reader against T5 itself, and what it must not depend on."""

import json
import shutil

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoTokenizer, T5ForConditionalGeneration

from core.errors import InvalidInput
from fusion.episode import Episode
from fusion.reader import FusionReader
from tests.support.tiny_language_model import build_tiny_language_model
from tests.support.tiny_t5 import build_tiny_t5

QUERY = "Where is the moon?"
PIECES = ("It is in the sky.", "A spider has eight legs.", "Nobody knows who wrote the red house.")
ANSWERS = ("in the sky", "in the", "Paris", "eight legs, always and never")


@pytest.fixture(scope="module", params=[True, False], ids=["tied", "untied"])
def folder(request, tmp_path_factory):
    return build_tiny_t5(tmp_path_factory.mktemp("t5") / "tiny-t5", tied=request.param)


@pytest.fixture(scope="module")
def reader(folder):
    return FusionReader.load(folder, device="cpu")


@pytest.fixture(scope="module")
def reference(folder):
    """T5 itself, asked for one text and one answer: log-probabilities of the answer's tokens."""
    network = T5ForConditionalGeneration.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)

    def score(text, answer):
        labels = tokenizer(answer, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            found = network(**tokenizer(text, return_tensors="pt"), labels=labels)
        by_token = found.logits[0].log_softmax(-1).gather(1, labels[0][:, None])[:, 0]
        assert float(-by_token.mean()) == pytest.approx(float(found.loss), abs=1e-5)
        return by_token.tolist()

    return score


def totals(scored):
    return [each.total for each in scored]


@pytest.mark.parametrize("evidence", [(), PIECES[:1]], ids=["the query alone", "one piece"])
def test_one_input_is_scored_as_t5_scores_it(reader, reference, evidence):
    text = f"{evidence[0]} {QUERY}" if evidence else QUERY
    scored = reader.log_probs(QUERY, evidence, ANSWERS)
    for answer, found in zip(ANSWERS, scored, strict=True):
        expected = reference(text, answer)
        assert found.tokens == pytest.approx(expected, abs=1e-4)
        assert found.total == pytest.approx(sum(expected), abs=1e-4)
        assert found.n_tokens == len(expected)


def test_several_pieces_are_what_a_decoder_over_their_states_gives(folder, reader):
    """By hand: every piece through T5's encoder alone, the states end to end, T5's own loss."""
    network = T5ForConditionalGeneration.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        states = [
            network.encoder(**tokenizer(f"{piece} {QUERY}", return_tensors="pt")).last_hidden_state
            for piece in PIECES
        ]
        for answer, found in zip(ANSWERS, reader.log_probs(QUERY, PIECES, ANSWERS), strict=True):
            labels = tokenizer(answer, return_tensors="pt")["input_ids"]
            loss = network(encoder_outputs=(torch.cat(states, dim=1),), labels=labels).loss
            assert found.total == pytest.approx(-float(loss) * labels.shape[1], abs=1e-4)


@given(st.permutations(PIECES))
def test_the_order_of_the_evidence_does_not_matter(reader, pieces):
    assert totals(reader.log_probs(QUERY, pieces, ANSWERS)) == pytest.approx(
        totals(reader.log_probs(QUERY, PIECES, ANSWERS)), abs=1e-4
    )


def test_evidence_is_read(reader):
    with_evidence = totals(reader.log_probs(QUERY, PIECES, ANSWERS))
    alone = totals(reader.log_probs(QUERY, (), ANSWERS))
    assert all(abs(a - b) > 1e-3 for a, b in zip(with_evidence, alone, strict=True))


def test_an_answer_is_scored_alike_whatever_stands_beside_it(reader):
    together = reader.log_probs(QUERY, PIECES, ANSWERS)
    for answer, found in zip(ANSWERS, together, strict=True):
        (alone,) = reader.log_probs(QUERY, PIECES, [answer])
        assert alone.tokens == pytest.approx(found.tokens, abs=1e-5)


def test_more_pieces_and_answers_than_are_computed_at_once(reader):
    """A piece seventy times adds no new state: attention averages over equal ones."""
    answers = [f"{answer} {number}" for number in range(20) for answer in ANSWERS]
    once = totals(reader.log_probs(QUERY, PIECES, answers))
    many = totals(reader.log_probs(QUERY, PIECES * 25, answers))
    assert many == pytest.approx(once, abs=1e-3)


def test_a_training_loss_is_the_scored_log_probability(reader):
    episodes = [
        Episode(QUERY, PIECES, ANSWERS[0]),
        Episode("Is water wet?", (), "Yes, always."),
        Episode(QUERY, PIECES[1:2], ANSWERS[3]),
    ]
    log_probs, tokens = reader.losses(episodes)
    for episode, total, count in zip(episodes, log_probs.tolist(), tokens.tolist(), strict=True):
        (alone,) = reader.log_probs(episode.query, episode.evidence, [episode.answer])
        assert total == pytest.approx(alone.total, abs=1e-4)
        assert count == alone.n_tokens


def test_the_answer_is_the_label_of_highest_log_probability(reader):
    scored = totals(reader.log_probs(QUERY, PIECES, ANSWERS))
    best = ANSWERS[scored.index(max(scored))]
    assert reader.answer(QUERY, PIECES, ANSWERS) == best
    assert reader.answer(QUERY, PIECES, ANSWERS[::-1]) == best
    assert reader.answer(QUERY, PIECES, ["Paris"]) == "Paris"
    right = [reader.is_right(Episode(QUERY, PIECES, each, ANSWERS)) for each in ANSWERS]
    assert right == [each == best for each in ANSWERS]


def test_what_is_written_is_the_most_probable_token_by_token(reader, folder):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    text = reader.write(QUERY, PIECES, most=3)
    network = reader.network
    states = [
        network.encoder(**tokenizer(f"{piece} {QUERY}", return_tensors="pt")).last_hidden_state
        for piece in PIECES
    ]
    ids = [network.config.decoder_start_token_id]
    while len(ids) < 4 and tokenizer.eos_token_id not in ids:
        logits = network(
            encoder_outputs=(torch.cat(states, dim=1),), decoder_input_ids=torch.tensor([ids])
        ).logits
        ids.append(int(logits[0, -1].argmax()))
    assert text == tokenizer.decode(ids, skip_special_tokens=True).strip()


def test_a_saved_reader_gives_the_same_numbers(reader, tmp_path):
    reader.save(tmp_path / "saved")
    again = FusionReader.load(tmp_path / "saved", device="cpu")
    assert again.log_probs(QUERY, PIECES, ANSWERS) == reader.log_probs(QUERY, PIECES, ANSWERS)
    assert (again.name, again.parameters) == ("saved", reader.parameters)
    assert len(again.fingerprint) == 32


def test_no_answers_have_no_scores_and_no_label_is_no_choice(reader):
    assert reader.log_probs(QUERY, PIECES, ()) == []
    with pytest.raises(InvalidInput, match="There is no label to choose from; give at least one"):
        reader.answer(QUERY, PIECES, ())


def test_what_does_not_fit_is_refused_by_name_and_never_cut(reader):
    long = "Nobody knows. " * 60
    with pytest.raises(InvalidInput, match=r"The evidence 'Nobody knows\. .*window is 128"):
        reader.log_probs(QUERY, ("It is.", long), ["Paris"])
    with pytest.raises(InvalidInput, match=r"The query 'Nobody knows\. .*window is 128"):
        reader.log_probs(long, (), ["Paris"])
    with pytest.raises(InvalidInput, match=r"The answer 'Nobody knows\. .*window is 128"):
        reader.log_probs(QUERY, (), [long])
    assert reader.window == 128


def test_a_text_of_the_whole_window_fits(reader, folder):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    words = "a" * 127
    while len(tokenizer(words)["input_ids"]) < 128:
        words += "x"
    assert reader.log_probs(words[:127], (), ["Paris"])[0].total < 0.0


def test_answers_that_are_no_text_are_refused(reader):
    with pytest.raises(InvalidInput, match="The answer '' has no tokens"):
        reader.log_probs(QUERY, (), [""])
    with pytest.raises(InvalidInput, match="half of a surrogate pair"):
        reader.log_probs(QUERY, ("\ud800",), ["Paris"])


@pytest.fixture
def copied(tmp_path):
    return build_tiny_t5(tmp_path / "copied")


def refusal(folder):
    with pytest.raises(InvalidInput) as caught:
        FusionReader.load(folder, device="cpu")
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


def test_a_model_that_is_no_t5(tmp_path):
    folder = build_tiny_language_model(tmp_path / "llama")
    assert "(llama) is no T5, and a Fusion-in-Decoder reader is made of one" in refusal(folder)


def test_a_folder_that_is_none_or_empty(tmp_path):
    assert "no model folder './none'" in refusal("./none")
    assert "has no config.json" in refusal(tmp_path)


def test_weights_that_are_no_safetensors(copied):
    weights = copied / "model.safetensors"
    torch.save({}, copied / "pytorch_model.bin")
    weights.unlink()
    assert "has no model.safetensors (pytorch_model.bin is never read" in refusal(copied)


def test_damaged_weights_and_such_of_another_shape(copied, tmp_path):
    weights = copied / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[: len(whole) // 2])
    assert "are damaged or cut off" in refusal(copied)
    weights.write_bytes(whole)
    config = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps(config | {"d_ff": 96}))
    assert "do not fit its config.json" in refusal(copied)
    (copied / "config.json").write_text(json.dumps(config | {"num_layers": 3}))
    assert "lack" in refusal(copied)


def test_no_tokenizer(copied):
    for path in copied.glob("tokenizer*"):
        path.unlink()
    assert "has no tokenizer" in refusal(copied)


def test_a_tokenizer_without_an_ending_token(copied):
    path = copied / "tokenizer_config.json"
    stated = json.loads(path.read_text())
    del stated["eos_token"]
    path.write_text(json.dumps(stated))
    assert "names no token that ends a text (eos_token)" in refusal(copied)


def test_a_tokenizer_of_another_model(copied, tmp_path):
    config = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps(config | {"vocab_size": 50}))
    other = tmp_path / "small"
    shutil.copytree(copied, other)
    network = T5ForConditionalGeneration.from_pretrained(other, ignore_mismatched_sizes=True)
    network.save_pretrained(other)
    reader = FusionReader.load(other, device="cpu")
    with pytest.raises(InvalidInput, match="the model knows only 50 tokens"):
        reader.log_probs(QUERY, (), ["Paris"])
