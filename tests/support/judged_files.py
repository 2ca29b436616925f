"""Files in which something beside candidates says which of them are right, and what it says.

Names, order, types and formats vary; `right` is the truth, which no import is told.
"""

import random
import string
from dataclasses import dataclass
from pathlib import Path

from tests.support.written_files import write_rows

FORMATS = ("csv", "tsv", "jsonl", "json", "parquet", "xlsx")

_QUERIES = ("question", "prompt", "query", "Question", "instruction", "problem", "input")
_OPTIONS = ("options", "choices", "candidates", "endings", "answers", "responses", "completions",
            "answer_choices", "Options", "alternatives", "outputs", "variants", "Antworten",
            "items", "possible answers", "Responses", "replies", "texts")  # fmt: skip
_SERIES = ("option", "choice", "answer", "response", "ending", "candidate", "Option ", "answer_",
           "option_", "Choice", "completion_", "", "Antwort ", "variant_", "resp", "ans", "reply_",
           "Response ", "text")  # fmt: skip
_KEYS = ("answer", "label", "correct", "correct_answer", "gold", "target", "right", "answer_idx",
         "correct_index", "answerKey", "solution", "correctAnswer", "key", "winner", "cop",
         "right_answer", "correct_option", "gold_label", "ground_truth", "best_option",
         "Lösung", "pick", "solución", "teacher", "Correct Answer", "Right Option", "y",
         "expected", "correct answer index", "answer_label", "best_answer_id", "accepted_answer",
         "result")  # fmt: skip
_FLAGS = ("label", "labels", "correct", "is_correct", "isCorrect", "gold", "right", "selected",
          "valid", "accepted", "is_right", "good", "verdict", "Is Correct", "relevance",
          "ok", "truth", "is_answer", "human_label", "mark", "approved", "y", "judgment", "Right?",
          "is_gold", "grade", "passes", "useful", "target")  # fmt: skip
_NEGATIVE = ("wrong", "is_wrong", "incorrect_flag", "is_error", "hallucinated", "rejected")
_SCORES = ("score", "scores", "rating", "overall_score", "quality", "reward", "votes", "rank",
           "helpfulness")  # fmt: skip
_WORDS = [
    "oak", "eel", "ink", "tin", "cork", "stone", "nail", "brick", "trout", "wren", "newt", "moth",
    "plum", "spoon", "pike", "kettle",
]  # fmt: skip


@dataclass(frozen=True)
class JudgedFile:
    """A file, the pairs of a query's first word and a text that are right, and its recipe."""

    path: Path
    right: set[tuple[str, str]]
    wrong: set[tuple[str, str]]
    recipe: str


def judged_file(folder: Path, seed: int) -> JudgedFile:
    """The file of this seed, written into the folder."""
    chance = random.Random(seed)
    rows = [_Row(chance, number) for number in range(chance.choice((2, 3, 4, 6, 9)))]
    style = chance.choice(("words", "numbers", "letters", "sentences", "words", "sentences"))
    count = chance.choice((2, 3, 4, 4, 5))
    for row in rows:
        row.fill(style, count)
    kind = chance.choice(tuple(_KINDS))
    records = _KINDS[kind](chance, rows)
    format = chance.choice(FORMATS)
    records = [
        _with_noise(chance.getstate(), record, number) for number, record in enumerate(records)
    ]
    order = list(dict.fromkeys(key for record in records for key in record))
    chance.shuffle(order)
    records = [{key: record.get(key) for key in order if key in record} for record in records]
    path = folder / f"judged{seed}.{format}"
    write_rows(path, format, records, order)
    right = {(row.word, text) for row in rows for text in row.right}
    wrong = {(row.word, text) for row in rows for text in row.wrong}
    return JudgedFile(path, right, wrong - right, f"{kind}, {style}, {format}")


class _Row:
    """One query with its candidates."""

    def __init__(self, chance: random.Random, number: int) -> None:
        self.chance, self.number = chance, number
        self.word = f"w{number}"

    def fill(self, style: str, count: int) -> None:
        chance = self.chance
        if style == "words":
            self.texts = chance.sample(_WORDS, count)
        elif style == "numbers":
            self.texts = [str(each) for each in chance.sample(range(10), count)]
        elif style == "letters":
            self.texts = chance.sample(string.ascii_lowercase[:10], count)
        else:
            words = chance.sample(_WORDS, count)
            self.texts = [f"The {word}, as {chance.choice(_WORDS)} is." for word in words]
        self.places = [chance.randrange(count)]
        self.query = f"{self.word} which of these is it?"

    @property
    def right(self) -> list[str]:
        return [self.texts[place] for place in self.places]

    @property
    def wrong(self) -> list[str]:
        return [text for text in self.texts if text not in self.right]


def _several_right(chance, rows):
    for row in rows:
        if chance.random() < 0.3:
            row.places = sorted(chance.sample(range(len(row.texts)), 2))


def _candidates(chance, rows):
    """The columns of candidates and their cells: lists, columns, objects or one text."""
    shape = chance.choice(("list", "series", "series", "labelled", "cell"))
    count = max(len(row.texts) for row in rows)
    if shape == "series":
        name = chance.choice(_SERIES)
        labels = chance.choice(("ABCDEFGH", "abcdefgh", "12345678", "01234567"))[:count]
        if not name and labels[0] not in "Aa":
            name = "answer"
        names = [f"{name}{label}" for label in labels]
        return names, [dict(zip(names, row.texts, strict=False)) for row in rows]
    name = chance.choice(_OPTIONS)
    if shape == "labelled":
        cells = [{"label": list(string.ascii_uppercase[: len(row.texts)]), "text": row.texts}
                 for row in rows]  # fmt: skip
    elif shape == "cell":
        cells = ["\n".join(f"{string.ascii_uppercase[place]}. {text}"
                           for place, text in enumerate(row.texts)) for row in rows]  # fmt: skip
    else:
        cells = [row.texts for row in rows]
    return [name], [{name: cell} for cell in cells]


def _by_key(chance, rows):
    names, cells = _candidates(chance, rows)
    key = chance.choice(_KEYS)
    way = chance.choice(("letter", "text", "from 0", "from 1", "column", "letters", "lower"))
    if way == "letters":
        _several_right(chance, rows)
    if way == "column" and len(names) == 1:
        way = "letter"
    if way == "from 1" and names[0][-1] == "0":
        way = "from 0"  # nobody counts choice0 as the first
    as_text = chance.random() < 0.5
    records = []
    for row, candidates in zip(rows, cells, strict=True):
        place = row.places[0]
        letter = string.ascii_uppercase[place]
        value = {
            "letter": letter,
            "lower": letter.lower(),
            "text": row.texts[place],
            "from 0": str(place) if as_text else place,
            "from 1": str(place + 1) if as_text else place + 1,
            "column": names[place % len(names)],
            "letters": chance.choice((",", "", ", ", ";", " and ")).join(
                string.ascii_uppercase[each] for each in row.places
            ),
        }[way]
        if len(rows) > 3 and chance.random() < 0.1:
            value = chance.choice(("Z", "", "none", -1, "99"))
            row.places = []
        records.append({chance_query(chance, rows): row.query, **candidates, key: value})
    return records


def chance_query(chance, rows):
    if not hasattr(rows[0], "query_name"):
        rows[0].query_name = chance.choice(_QUERIES)
    return rows[0].query_name


def _flag(chance, rows, right, negative=False):
    if not hasattr(rows[0], "flags"):
        pairs = [(0, 1), (False, True), ("0", "1"), ("false", "true"), ("no", "yes"), (0.0, 1.0),
                 ("False", "True")]  # fmt: skip
        words = [("incorrect", "correct"), ("wrong", "right")]
        rows[0].flags = chance.choice(pairs if negative else pairs + words)
    return rows[0].flags[right != negative]


def _by_flags(chance, rows):
    """A list of candidates and a list of flags, or a series of each."""
    _several_right(chance, rows)
    negative = chance.random() < 0.15
    flag = chance.choice(_NEGATIVE if negative else _FLAGS)
    names, cells = _candidates(chance, rows)
    while isinstance(next(iter(cells[0].values())), str) and len(names) == 1:
        names, cells = _candidates(chance, rows)
    records = []
    for row, candidates in zip(rows, cells, strict=True):
        flags = [_flag(chance, rows, place in row.places, negative)
                 for place in range(len(row.texts))]  # fmt: skip
        record = {chance_query(chance, rows): row.query, **candidates}
        if len(names) > 1:
            record |= {f"{flag}_{name[-1]}": each for name, each in zip(names, flags, strict=False)}
        else:
            record[flag] = flags
        records.append(record)
    return records


def _in_objects(chance, rows):
    """A list of objects with a text and a flag or a score each."""
    _several_right(chance, rows)
    scores = chance.random() < 0.25
    negative = not scores and chance.random() < 0.15
    names = _SCORES if scores else _NEGATIVE if negative else _FLAGS
    flag, name = chance.choice(names), chance.choice(_OPTIONS)
    text = chance.choice(("text", "answer", "content", "option"))
    return [
        {
            chance_query(chance, rows): row.query,
            name: [
                {
                    text: each,
                    flag: 5 * (place in row.places) + chance.randrange(3)
                    if scores
                    else _flag(chance, rows, place in row.places, negative),
                    **({"id": f"{row.number}-{place}"} if row.number % 2 else {}),
                }
                for place, each in enumerate(row.texts)
            ],
        }
        for row in rows
    ]


def _in_keys(chance, rows):
    """An object of texts with a flag each."""
    _several_right(chance, rows)
    for row in rows:
        row.texts = [f"It is {text}" for text in row.texts]
    name = chance.choice(("mc1_targets", "targets", "answers", "options"))
    return [
        {
            chance_query(chance, rows): row.query,
            name: {text: int(place in row.places) for place, text in enumerate(row.texts)},
        }
        for row in rows
    ]


def _beside_choices(chance, rows):
    """An object of a list of texts and a list of flags."""
    _several_right(chance, rows)
    outer, inner, flag = (chance.choice(("mc2_targets", "targets", "quiz")),
                          chance.choice(("choices", "options", "text")),
                          chance.choice(("labels", "label", "correct", "gold")))  # fmt: skip
    return [
        {
            chance_query(chance, rows): row.query,
            outer: {
                inner: row.texts,
                flag: [int(place in row.places) for place in range(len(row.texts))],
            },
        }
        for row in rows
    ]


def _row_by_row(chance, rows):
    """A candidate in each row, with a flag or a score."""
    _several_right(chance, rows)
    scores = chance.random() < 0.25
    negative = not scores and chance.random() < 0.15
    flag = chance.choice(_SCORES if scores else _NEGATIVE if negative else _FLAGS)
    answer = chance.choice(("answer", "response", "completion", "output", "Answer", "reply"))
    records = [
        {
            chance_query(chance, rows): row.query,
            answer: text,
            flag: 5 * (place in row.places) + chance.randrange(3)
            if scores
            else _flag(chance, rows, place in row.places, negative),
        }
        for row in rows
        for place, text in enumerate(row.texts)
    ]
    if chance.random() < 0.3:
        chance.shuffle(records)
    return records


def _pairs(chance, rows):
    """Two answers and a winner; some are a tie."""
    side = chance.choice(("response", "answer", "completion", "output", "assistant"))
    labels = chance.choice((("a", "b"), ("0", "1"), ("1", "2"), ("A", "B")))
    names = [f"{side}_{label}" for label in labels]
    key = chance.choice(("winner", "better", "preferred", "chosen", "better_response_id", "label",
                         "preference", "selected"))  # fmt: skip
    way = chance.choice(("label", "column", "model", "text"))
    records = []
    for row in rows:
        row.texts = row.texts[:2]
        row.places = [chance.randrange(2)]
        place = row.places[0]
        value = {
            "label": labels[place], "column": names[place], "model": f"model_{labels[place]}",
            "text": row.texts[place],
        }[way]  # fmt: skip
        if len(rows) > 2 and chance.random() < 0.15:
            value, row.places = chance.choice(("tie", "both bad", "")), []
        records.append({chance_query(chance, rows): row.query,
                        **dict(zip(names, row.texts, strict=True)), key: value})  # fmt: skip
    return records


def _chats(chance, rows):
    """Two chats and a winner."""
    records = []
    for row in rows:
        row.texts = row.texts[:2]
        row.places = [chance.randrange(2)]
        chats = {
            f"conversation_{label}": [
                {"role": "user", "content": row.query},
                {"role": "assistant", "content": text},
            ]
            for label, text in zip("ab", row.texts, strict=True)
        }
        winner = "ab"[row.places[0]]
        records.append({**chats, "winner": f"model_{winner}"})
    return records


def _one_hot(chance, rows):
    """Two answers, and a column of flags for each of them and for a tie."""
    side = chance.choice(("response", "answer", "output"))
    prefix = chance.choice(("winner_model", "is_better", "chosen", "win"))
    records = []
    for row in rows:
        row.texts = row.texts[:2]
        row.places = [chance.randrange(2)]
        records.append({
            chance_query(chance, rows): row.query,
            f"{side}_a": row.texts[0], f"{side}_b": row.texts[1],
            f"{prefix}_a": int(row.places == [0]), f"{prefix}_b": int(row.places == [1]),
            "winner_tie": 0,
        })  # fmt: skip
    return records


def _numbers_beside(chance, rows):
    """A list of candidates and a list of scores."""
    name, score = chance.choice(_OPTIONS), chance.choice(_SCORES)
    return [
        {
            chance_query(chance, rows): row.query,
            name: row.texts,
            score: [
                round(5 * (place in row.places) + chance.random(), 2)
                for place in range(len(row.texts))
            ],
        }
        for row in rows
    ]


_KINDS = {
    "key": _by_key,
    "key again": _by_key,
    "flags": _by_flags,
    "objects": _in_objects,
    "texts as keys": _in_keys,
    "choices and labels": _beside_choices,
    "row by row": _row_by_row,
    "pairs": _pairs,
    "chats": _chats,
    "one hot": _one_hot,
    "numbers": _numbers_beside,
}


def _with_noise(state, record, number):
    chance = random.Random()
    chance.setstate(state)
    noise = {"id": number, "topic": "abc"[number % 3], "source": f"s{number}",
             "difficulty": number % 3, "urgent": bool(number % 2),
             "explanation": "so it is"}  # fmt: skip
    chosen = chance.sample(sorted(noise), chance.randrange(3))
    return record | {name: noise[name] for name in chosen if name not in record}
