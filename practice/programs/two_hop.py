"""The two-hop teaching example: passages about novels, authors and towns, and what they answer.

Every question takes two facts from two passages, and the second passage shares no word with the
question that would find it. All names are made up, so that no model knows an answer beforehand;
the scripted model (`core.language_model.scripted`) answers from the passages in its prompt.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from core.language_model.scripted.facts import AUTHOR, BIRTHPLACE, CHAINS, RIVER

Item = TypeVar("Item")

TWO_HOP_SEED = 11
AUTHORS, TOWNS = 24, 12
"""Authors, each with one novel, and towns, each on a river of its own: 60 passages."""

WRONG = 3
"""Incorrect answers of a question: other towns or rivers."""

_COLOURS = ("Amber", "Silver", "Hollow", "Crimson", "Quiet", "Broken", "Winter", "Golden")
_THINGS = ("Bridge", "Garden", "Lantern", "Harbour", "Orchard", "Mirror", "Clock", "Window")
_FIRST = (
    "Ada", "Bruno", "Celia", "Doran", "Edda", "Felix", "Greta", "Hugo", "Ilse", "Jonas", "Karla",
    "Leon", "Mira", "Nils", "Olga", "Pavel", "Quinta", "Rolf", "Selma", "Tilo", "Ulla", "Viktor",
    "Wanda", "Yorick",
)  # fmt: skip
_LAST = (
    "Morrow", "Tellin", "Varga", "Askew", "Brandt", "Colmar", "Dunning", "Ester", "Falk", "Gorin",
    "Hadley", "Ivers", "Jessen", "Kolb", "Lindal", "Marek", "Norden", "Ostrow", "Pell", "Quist",
    "Renner", "Sandor", "Thorne", "Ulmer",
)  # fmt: skip
_TOWNS = (
    "Velden", "Harrow", "Osterby", "Calder", "Mirefield", "Tamsin", "Brackwater", "Lunden",
    "Pellworm", "Skarrow", "Dunmere", "Aldwick",
)  # fmt: skip
_RIVERS = (
    "Orma", "Tisk", "Lave", "Brenn", "Sorrel", "Wey", "Kelda", "Inna", "Marl", "Ruhn", "Dossel",
    "Ebba",
)  # fmt: skip
_ABOUT = (
    "a lighthouse keeper", "two sisters", "a lost letter", "a travelling circus", "a long winter",
    "a village school", "an old quarrel", "a stolen violin",
)  # fmt: skip
_PURSUITS = ("kept bees", "played the organ", "taught botany", "bound books", "sailed", "drew maps")
_KNOWN_FOR = ("glass", "its market", "cherries", "a crooked tower", "lace", "its bells")


@dataclass(frozen=True, slots=True)
class TwoHopPassage:
    """A passage as an import of passages reads it."""

    title: str
    text: str

    def to_json(self) -> dict[str, Any]:
        """The row of its file."""
        return {"title": self.title, "text": self.text}


@dataclass(frozen=True, slots=True)
class TwoHopQuestion:
    """A question with its answer and names of the same kind that are wrong; `tag` is its kind."""

    query: str
    answer: str
    incorrect: tuple[str, ...]
    tag: str

    def to_json(self) -> dict[str, Any]:
        """The row of its file, as an import of demonstrations reads it."""
        return {
            "query": self.query,
            "answers": [self.answer],
            "incorrect": list(self.incorrect),
            "tags": [self.tag],
        }


@dataclass(frozen=True, slots=True)
class TwoHopSet:
    """The questions and the passages, each in the order of its file."""

    questions: tuple[TwoHopQuestion, ...]
    passages: tuple[TwoHopPassage, ...]


def build_two_hop(seed: int = TWO_HOP_SEED) -> TwoHopSet:
    """48 questions over 60 passages: two kinds, one of each about every author.

    Each town is the birthplace of two authors.

    Args:
        seed: Of every choice.
    """
    rng = Random(f"two-hop {seed}")
    titles = [f"The {colour} {thing}" for colour in _COLOURS for thing in _THINGS]
    works = rng.sample(titles, AUTHORS)
    authors = [
        " ".join(pair) for pair in zip(_shuffled(rng, _FIRST), _shuffled(rng, _LAST), strict=True)
    ]
    births = _shuffled(rng, _TOWNS * (AUTHORS // TOWNS))
    river_of = dict(zip(_TOWNS, _shuffled(rng, _RIVERS), strict=True))
    passages, questions = [], []
    for work, author, town in zip(works, authors, births, strict=True):
        passages += [_novel(rng, work, author), _author(rng, author, town)]
        subjects = (work, author)
        answers = (town, river_of[town])
        others = (_TOWNS, _RIVERS)
        for chain, subject, answer, names in zip(CHAINS, subjects, answers, others, strict=True):
            wrong = rng.sample([name for name in names if name != answer], WRONG)
            query = chain.question.format(subject=subject)
            questions.append(TwoHopQuestion(query, answer, tuple(wrong), chain.second.kind))
    passages += [_town(rng, town, river) for town, river in river_of.items()]
    return TwoHopSet(tuple(_shuffled(rng, questions)), tuple(_shuffled(rng, passages)))


def write_two_hop(folder: Path, found: TwoHopSet) -> tuple[Path, Path]:
    """Write the questions and the passages as JSON lines; the paths of both."""
    paths = folder / "two-hop.jsonl", folder / "two-hop-passages.jsonl"
    kinds = [row.to_json() for row in found.questions], [row.to_json() for row in found.passages]
    for path, rows in zip(paths, kinds, strict=True):
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        path.write_text("".join(lines), encoding="utf-8")
    return paths


def _novel(rng: Random, work: str, author: str) -> TwoHopPassage:
    fact = AUTHOR.fact.format(subject=work, object=author)
    year = rng.randint(1890, 1965)
    return TwoHopPassage(work, f"{fact} It came out in {year} and is about {rng.choice(_ABOUT)}.")


def _author(rng: Random, author: str, town: str) -> TwoHopPassage:
    fact = BIRTHPLACE.fact.format(subject=author, object=town)
    year = rng.randint(1850, 1920)
    return TwoHopPassage(author, f"{fact} in {year}, wrote and {rng.choice(_PURSUITS)}.")


def _town(rng: Random, town: str, river: str) -> TwoHopPassage:
    fact = RIVER.fact.format(subject=town, object=river)
    return TwoHopPassage(town, f"{fact} It is known for {rng.choice(_KNOWN_FOR)}.")


def _shuffled(rng: Random, items: Sequence[Item]) -> list[Item]:
    return rng.sample(items, len(items))
