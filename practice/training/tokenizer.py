"""The tokenizer: bytes, merges learned from general text, and the task's words as whole tokens."""

import re
from random import Random
from typing import Any

from ..episodes import EpisodeStyle, draw_episode, marked_text
from ..intents import INTENTS
from ..requests import draw_request, invented_word, word
from ..words import FIRST_PARTS, SECOND_PARTS, VALUES
from .prose import draw_prose

PADDING, BEGINNING = "<|pad|>", "<|bos|>"
WINDOW = 1024

_SPLIT = (
    r"[QA]:|'(?:s|d|m|ll|re|ve|t)\b| ?[\p{L}\p{N}]+|_[\p{L}\p{N}]+| ?[^\s\p{L}\p{N}_]+|_|\n+|"
    r"\s+(?!\S)|\s+"
)
"""`Q:` and `A:` are one piece, a word takes the space before it, a name's second part its dash."""

_MERGED_VOCABULARY = 800
"""Bytes, special tokens and merges; the words of the task come on top."""


def build_tokenizer() -> Any:
    """The fast tokenizer, the same at every call: it is built from the task, not learned with it.

    Any text can be encoded and comes back as it was. The task's words are whole tokens whatever
    the merges (`ignore_merges`), so that a name is one or two tokens and copying it is one step.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    def fresh(model: Any) -> Any:
        tokenizer = Tokenizer(model)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(_regex(), "isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        tokenizer.decoder = decoders.ByteLevel()
        return tokenizer

    learner = fresh(models.BPE())
    trainer = trainers.BpeTrainer(
        vocab_size=_MERGED_VOCABULARY,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        special_tokens=[PADDING, BEGINNING],
        show_progress=False,
    )
    learner.train_from_iterator(_general_text(), trainer)
    vocabulary, merges = _parts_of(learner)
    as_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    for text in _task_words():
        written = "".join(piece for piece, _ in as_bytes.pre_tokenize_str(text))
        vocabulary.setdefault(written, len(vocabulary))
    tokenizer = fresh(models.BPE(vocab=vocabulary, merges=merges, ignore_merges=True))
    tokenizer.add_special_tokens([PADDING, BEGINNING])
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BEGINNING} $A",
        pair=f"{BEGINNING} $A $B",
        special_tokens=[(BEGINNING, vocabulary[BEGINNING])],
    )
    wrapper: Any = PreTrainedTokenizerFast
    return wrapper(
        tokenizer_object=tokenizer, bos_token=BEGINNING, eos_token=BEGINNING, pad_token=PADDING,
        model_max_length=WINDOW, clean_up_tokenization_spaces=False,
    )  # fmt: skip


def _regex() -> Any:
    from tokenizers import Regex

    return Regex(_SPLIT)


def _parts_of(tokenizer: Any) -> tuple[dict[str, int], list[tuple[str, str]]]:
    import json

    model = json.loads(tokenizer.to_str())["model"]
    return model["vocab"], [tuple(merge) for merge in model["merges"]]


def _general_text() -> list[str]:
    """Sentences and invented words, for the merges with which other words are spelled."""
    rng = Random("general text")
    texts = [draw_prose(rng, 6).text for _ in range(300)]
    return texts + [" ".join(invented_word(rng) for _ in range(20)) for _ in range(100)]


def _task_words() -> list[str]:
    """Every word of the queries, the values and the names, with the space before it."""
    rng = Random("words of the task")
    words: dict[str, None] = {}
    for intent in INTENTS:
        for _ in range(1000):
            query = word(rng, draw_request(rng, intent, least=1, most=9)).query
            words.update(dict.fromkeys(re.findall(r" \w+", f" {query}")))
    words.update(dict.fromkeys(f" {value}" for values in VALUES.values() for value in values))
    words.update(dict.fromkeys(f" {part}" for part in FIRST_PARTS))
    words.update(dict.fromkeys(SECOND_PARTS))
    frame = ("Q:", "A:", " {", " }", ",", " as", "\n", "\n\n", ".", "?")
    words.update(dict.fromkeys(frame))
    sample = marked_text(draw_episode(rng, EpisodeStyle((1,), (1,)), blocks=1)).text
    assert all(piece in sample for piece in (" {", " }", " as")), sample
    return list(words)
