"""The practice reader: episodes, first weights, training, and what the bundled one's card says."""

import hashlib
import json
import re
from random import Random

import pytest
import torch
from safetensors.torch import load_file

from core.errors import Cancelled, InvalidInput
from core.studio.session.models import is_call
from core.watcher import Watcher
from fusion.reader import FusionReader
from practice.calls import call_of
from practice.dialects import BUNDLED_DIALECT, held_out_dialect, held_out_names
from practice.mistakes import draw_mistakes
from practice.reader_checks import KINDS, check_reader, practice_reader_folder
from practice.reader_episodes import READ_STYLE, draw_blocks, episode_of, labelled_episode
from practice.training.reader import STAGES, ReaderPlan, train_reader
from practice.training.reader_network import build_reader_network, build_reader_tokenizer

FOLDER = practice_reader_folder()


@pytest.fixture(scope="module")
def tokenizer():
    return build_reader_tokenizer()


@pytest.fixture(scope="module")
def network(tokenizer):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return build_reader_network(tokenizer).eval()


@pytest.mark.parametrize("style", [READ_STYLE, *(stage.style for stage in STAGES)])
def test_the_evidence_shows_every_name_of_the_call(style):
    rng = Random("evidence")
    for _ in range(50):
        *shown, last = blocks = draw_blocks(rng, style)
        assert len(shown) in style.blocks
        arguments = [argument for block in shown for argument in block.call.arguments]
        names = {name for _, name in arguments} | {block.call.function for block in shown}
        assert {last.call.function, *(name for _, name in last.call.arguments)} <= names
        episode = episode_of(blocks)
        assert episode.query == last.worded.query
        assert episode.evidence == tuple(f"{b.worded.query} {b.call}" for b in shown)
        assert is_call(episode.answer)


def test_no_episode_of_training_has_a_held_out_name():
    rng, held_out = Random("names"), held_out_names()
    for stage in STAGES:
        for _ in range(100):
            for block in draw_blocks(rng, stage.style):
                used = {block.call.function, *(name for _, name in block.call.arguments)}
                assert used.isdisjoint(held_out)


def test_labels_are_the_call_and_its_mistakes():
    rng, dialect = Random("labels"), held_out_dialect(100)
    places = set()
    for _ in range(40):
        blocks = draw_blocks(rng, READ_STYLE, dialect)
        episode = labelled_episode(rng, blocks, dialect)
        assert episode.answer == str(call_of(dialect, blocks[-1].request))
        assert episode.answer == episode_of(blocks).answer
        assert len(episode.labels) == len(set(episode.labels)) in (6, 7, 8)
        places.add(episode.labels.index(episode.answer))
        wrong = {text for text, _ in draw_mistakes(rng, dialect, blocks[-1].request)}
        assert episode.answer not in wrong
    assert len(places) >= 6  # its place tells nothing


def test_the_network_is_a_plain_t5_of_a_million_parameters(network):
    assert type(network).__name__ == "T5ForConditionalGeneration"
    assert 900_000 < network.num_parameters() < 1_100_000


def test_the_tokenizer_gives_every_text_back(tokenizer):
    for text in ("book_table { Thai as x_y }", "déjà vu — 日本語"):
        ids = tokenizer(text)["input_ids"]
        assert ids[-1] == tokenizer.eos_token_id
        assert tokenizer.decode(ids, skip_special_tokens=True).strip() == text


def test_heads_start_by_looking_aside(network, tokenizer):
    ids = torch.randint(300, len(tokenizer), (1, 30), generator=torch.Generator().manual_seed(1))
    network.set_attn_implementation("eager")
    with torch.no_grad():
        found = network(input_ids=ids, decoder_input_ids=ids, output_attentions=True)
    encoder, decoder = found.encoder_attentions[0][0], found.decoder_attentions[0][0]
    looked = [encoder[0].diagonal(-1), encoder[1].diagonal(-2), encoder[2].diagonal(1)]
    looked += [decoder[head].diagonal(-(head + 1)) for head in range(3)]
    assert all(each.mean() > 0.5 for each in looked)


def test_values_of_a_kind_start_alike_and_others_do_not(network, tokenizer):
    def row(value):
        return network.shared.weight[tokenizer(value)["input_ids"][0]].detach()

    def cosine(one, other):
        return torch.cosine_similarity(row(one), row(other), dim=0).item()

    alike = [cosine("Lima", city) for city in ("Oslo", "Paris", "Tokyo", "Rome", "Berlin")]
    apart = [cosine("Lima", other) for other in ("red", "yoga", "Thai", "jazz", "laptop")]
    assert min(alike) > 0.35 > max(apart)


@pytest.mark.thorough
def test_a_short_training_gives_a_reader(tmp_path):
    reports = train_reader(tmp_path, ReaderPlan(steps=2))
    assert [report.steps for report in reports] == [1, 1, 1]
    reader = FusionReader.load(tmp_path, device="cpu")
    assert reader.window == 256
    (scored,) = reader.log_probs("book a table", ("déjà vu",), ["f { a as b }"])
    assert scored.total < 0.0


@pytest.mark.thorough
def test_a_training_that_was_stopped_goes_on(tmp_path):
    """Stopped once in each stage: the same weights as without, and another plan is refused."""
    plan = ReaderPlan(steps=6)
    reports = train_reader(tmp_path / "whole", plan)
    assert [report.steps for report in reports] == [1, 1, 4]
    for stop_at in (1, 2, 1):
        asked = iter(range(100))
        with pytest.raises(Cancelled):
            train_reader(
                tmp_path / "parts",
                plan,
                watcher=Watcher(cancelled=lambda asked=asked, at=stop_at: next(asked) == at),
            )
    train_reader(tmp_path / "parts", plan)
    whole, parts = (load_file(tmp_path / name / "model.safetensors") for name in ("whole", "parts"))
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
    with pytest.raises(InvalidInput, match="contains a training with another"):
        train_reader(tmp_path / "whole", ReaderPlan(steps=9))


@pytest.fixture(scope="module")
def card():
    return (FOLDER / "README.md").read_text(encoding="utf-8")


def test_the_bundled_reader_is_small_and_standard():
    files = {path.name for path in FOLDER.iterdir()}
    assert files == {
        "README.md", "config.json", "generation_config.json", "model.safetensors",
        "tokenizer.json", "tokenizer_config.json",
    }  # fmt: skip
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 6 << 20
    assert json.loads((FOLDER / "config.json").read_text())["model_type"] == "t5"


def test_the_card_names_the_weights(card):
    (stated,) = re.findall(r"\b[0-9a-f]{64}\b", card)
    assert hashlib.sha256((FOLDER / "model.safetensors").read_bytes()).hexdigest() == stated


def test_its_tokenizer_is_the_one_that_training_builds(tokenizer):
    bundled = FusionReader.load(FOLDER, device="cpu").tokenizer
    for text in ("Book a table. book_table { Thai as x_y }", "déjà vu — 日本語\t'm"):
        assert bundled(text)["input_ids"] == tokenizer(text)["input_ids"]


def stated_shares(card):
    """The card's rows of figures: (dialects, evidence) to (chosen, written)."""
    rows = re.findall(
        r"^\| (bundled|held_out) \| (\w+) \| ([\d.]+) \[[^]]+\] \| ([\d.]+) \[[^]]+\] \|$",
        card,
        re.MULTILINE,
    )
    return {(group, kind): (float(a), float(b)) for group, kind, a, b in rows}


@pytest.mark.parametrize(
    "episodes",
    [pytest.param(15, id="few"), pytest.param(200, id="all", marks=pytest.mark.thorough)],
)
def test_the_bundled_reader_reads_as_its_card_says(card, episodes):
    """Fresh episodes: every figure of the card is inside the exact interval of the small sample."""
    stated = stated_shares(card)
    assert set(stated) == {(group, kind) for group in ("bundled", "held_out") for kind in KINDS}
    found = check_reader(FOLDER, episodes=episodes, seed=5)
    for (group, kind), (chosen, written) in stated.items():
        reading = found.groups[group][kind]
        slack = 0.03  # the card's own figures are of a sample, too
        assert reading.chosen.low - slack <= chosen <= reading.chosen.high + slack, (group, kind)
        assert reading.written.low - slack <= written <= reading.written.high + slack, (group, kind)
    for group in found.groups.values():
        assert group["with"].written.low > group["without"].written.high
        assert group["with"].chosen.low > group["without"].chosen.high


def test_it_writes_the_call_of_names_that_only_its_evidence_has():
    reader = FusionReader.load(FOLDER, device="cpu")
    evidence = (
        "book a Thai restaurant in Oslo grab_table { Thai as food_tag, Oslo as spot_key }",
        "find a Greek restaurant near Lima grab_table { Greek as food_tag, Lima as spot_key }",
    )
    query = "reserve a Korean restaurant in Prague"
    right = "grab_table { Korean as food_tag, Prague as spot_key }"
    (alone,) = reader.log_probs(query, (), [right])
    (read,) = reader.log_probs(query, evidence, [right])
    assert read.total > alone.total + 5.0


def test_the_check_shows_another_dialects_names_as_wrong_evidence():
    """The bundled dialect's names are in none of the other's evidence."""
    names = BUNDLED_DIALECT.names
    assert all(names.isdisjoint(held_out_dialect(seed).names) for seed in (100, 105, 111))
