"""Whether something judges the candidates of a table: certain, asked, or only suspected."""

from dataclasses import replace

from ...demonstration.fields import FIELD
from ...errors import InvalidInput
from ..files.grid import plain
from ..files.tables import FileTable, commas
from ..mapping import Mapping
from .columns import (
    Candidates,
    Strength,
    candidates_in,
    has_texts,
    is_beside,
    strength_of,
    unnamed_in,
)
from .judges import ENOUGH, Judge, MapWith, is_flag, judges_of, sample, says_right, text_in, ways
from .keys import like_a_key
from .quiz import JudgingWay, Key
from .verdicts import may_be_verdict, number_in, plain_value, verdict_of

_ANSWERS = (
    "answer", "answers", "correct_answer", "correct_answers", "response", "completion", "output",
    "reply",
)  # fmt: skip
"""Columns of these names have answers: short ones are keys only beside several other texts."""


def suspect(
    table: FileTable, mapping: Mapping, *, labelled: bool
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Columns that may be candidates, and those that may judge them; None without suspicion.

    Args:
        table: The table.
        mapping: The mapping in which all answers are right.
        labelled: Whether the answers are labels.
    """
    if len(mapping.answer) != 1 or mapping.incorrect:
        return None
    (answer,) = mapping.answer
    called = plain(answer) in _ANSWERS
    used = set(mapping.columns)
    if called:
        several = [
            found.columns
            for found in unnamed_in(table)
            if not used & {*found.columns} and not any(map(is_beside, found.columns))
        ]
        if several and _are_keys(table, answer):
            return several[0], mapping.answer
    asked = plain(mapping.query[0]) in ("question", "query", "prompt", "instruction")
    words = not called and (asked or says_right(answer) or _repeats_queries(table, mapping))
    texts = _texts(table, used, words=words, repeated=not called)
    if called and len(texts) > 1 and _are_keys(table, answer):
        return texts, mapping.answer
    if not called and texts and _are_keys(table, answer, verdicts=True):
        return texts, mapping.answer
    for name in table.columns if labelled else ():
        judging = strength_of(name) > Strength.UNKNOWN and name not in used
        texts = _texts(table, {*used, name}, words=True, repeated=True)
        if judging and texts and _are_keys(table, name, verdicts=True):
            return texts, (name,)
    return None


def _texts(
    table: FileTable, used: set[str], *, words: bool, repeated: bool = False
) -> tuple[str, ...]:
    free = (name for name in table.columns if name not in used)
    return tuple(name for name in free if has_texts(table, name, words=words, repeated=repeated))


def _repeats_queries(table: FileTable, mapping: Mapping) -> bool:
    queries = {tuple(text_in(row.get(name)) for name in mapping.query) for row in table.rows}
    return 2 * len(queries) <= len(table.rows)


def _are_keys(table: FileTable, column: str, *, verdicts: bool = False) -> bool:
    """Whether most texts of the column may be keys, and with `verdicts` also flags and figures."""
    cells = (row.get(column) for row in table.rows)
    every = (each for cell in cells for each in (cell if isinstance(cell, list) else [cell]))
    values = [text for each in every if (text := text_in(each))]
    if verdicts:
        fitting = sum(
            may_be_verdict(value) or like_a_key(value) or number_in(value) is not None
            for value in values
        )
    else:
        fitting = sum(like_a_key(value) and number_in(value) is None for value in values)
    return bool(values) and 2 * fitting > len(values)


_VERDICTS = ("correct", "incorrect", "right", "wrong", "good", "bad")
"""What a column called `best` does not contain, but one that judges each answer."""

_SHORT = 4
"""Where other answers are the texts of options, one of so few letters is a key that misses."""


class Unclear(InvalidInput):
    """Whether a column judges candidates cannot be seen.

    Attributes:
        question: What cannot be seen, as the beginning of a sentence.
        proposal: The mapping if it does.
    """

    def __init__(self, question: str, advice: str, proposal: Mapping) -> None:
        super().__init__(f"{question}: {advice}.")
        self.question = question
        self.proposal = proposal


def guess_judged(table: FileTable, map_with: MapWith) -> Mapping | list[Judge]:
    """The mapping of the first candidates that something judges for certain; else what may.

    Raises:
        Unclear: Two columns judge them and differ.
    """
    doubtful: list[Judge] = []
    for candidates in candidates_in(table):
        judges = list(judges_of(table, candidates, map_with))
        certain = [judge for judge in judges if judge.certain]
        if certain:
            _refuse_contradictions(
                [*certain, *(judge for judge in judges if judge.has_flags)], table
            )
            return certain[0].mapping
        doubtful += judges
    return doubtful


def ask_about(
    table: FileTable, doubtful: list[Judge], answers: Mapping | None, map_with: MapWith
) -> None:
    """Ask where what may be judged would all be right, or where there are no other answers.

    Args:
        table: The table.
        doubtful: What may judge candidates.
        answers: The mapping in which all answers are right; None where there is none.
        map_with: The mapping for candidates and what judges them.

    Raises:
        Unclear: There is something to ask.
    """
    for judge in doubtful:
        used = {*judge.mapping.options, *judge.mapping.answer}
        if answers is None or used & set(answers.answer):
            raise _unclear(judge.mapping)
    for candidates in unnamed_in(table) if answers is None else ():
        for judge in judges_of(table, candidates, map_with):
            raise _unclear(judge.mapping)


def ask_about_labels(table: FileTable, mapping: Mapping, map_with: MapWith) -> None:
    """Ask where what seems to be a classification set has candidates, whose labels judge these.

    Raises:
        Unclear: There is something to ask.
    """
    for candidates in (*candidates_in(table), *unnamed_in(table)):
        if not set(candidates.columns) & {*mapping.query, *mapping.answer}:
            for judge in judges_of(table, candidates, map_with):
                if judge.mapping.answer != mapping.query:
                    raise _unclear(judge.mapping)


def refuse_if_judged(
    table: FileTable, mapping: Mapping, map_with: MapWith, *, labelled: bool
) -> Mapping:
    """The mapping, or another one where a column judges its answers; answers are in single texts.

    Args:
        table: The table.
        mapping: The mapping in which all answers are right.
        map_with: The mapping for candidates and what judges them.
        labelled: Whether the answers are labels, which no other label judges.

    Raises:
        Unclear: A column may judge them, or they may be keys of candidates in other columns.
    """
    if len(mapping.answer) == 1 and not labelled:
        single = Candidates(mapping.answer, called_options=False, several=False)
        by_words = {
            name for name in mapping.incorrect if plain(name) not in FIELD["incorrect"].synonyms
        }  # which are texts: flags of such a name would not be there
        own = {mapping.status, _best(table, mapping), *by_words}
        every = judges_of(table, single, map_with)
        judges = [judge for judge in every if judge.mapping.answer[0] not in own]
        certain = [judge for judge in judges if judge.certain]
        if certain:
            _refuse_differing_verdicts(certain, table)
            found = certain[0].mapping
            best = mapping.best if mapping.best not in found.answer else None
            return replace(found, incorrect=mapping.incorrect, best=best)
        if judges:
            raise _unclear(judges[0].mapping)
    if not mapping.incorrect:
        for candidates in (*candidates_in(table), *unnamed_in(table)):
            used = set(candidates.columns) & set(mapping.columns)
            asked = None if used else map_with(candidates, mapping.answer)
            found_ways = ways(table, asked, ENOUGH) if asked else []
            keys = any(_may_be_keys(sample(table), mapping.answer[0], way) for way in found_ways)
            if asked and keys:
                raise _unclear(asked)
    suspicion = suspect(sample(table), mapping, labelled=labelled)
    if suspicion is not None:
        options, judge = suspicion
        asked = map_with(Candidates(options, called_options=True), judge)
        raise _unclear(asked or Mapping(query=mapping.query, answer=judge, options=options))
    return mapping


def _best(table: FileTable, mapping: Mapping) -> str | None:
    """The column of the best of answers that are right: true or false, not correct or incorrect."""
    values = [plain_value(text_in(row.get(mapping.best or ""))) for row in table.rows]
    verdicts = sum(value in _VERDICTS for value in values)
    return None if 2 * verdicts >= len(values) else mapping.best


def _may_be_keys(table: FileTable, answer: str, way: JudgingWay) -> bool:
    """Whether the answers may be no answers but keys: texts are right, whatever is beside them."""
    rest = (row.get(answer) for n, row in enumerate(table.rows, start=1) if n not in way.found)
    return way.key is not Key.TEXT or any(0 < len(text_in(cell)) <= _SHORT for cell in rest)


def _refuse_differing_verdicts(judges: list[Judge], table: FileTable) -> None:
    """Refuse where two columns of verdicts on the same texts differ in some row."""
    first, *others = (judge.mapping for judge in judges)
    for other in others:
        columns = first.answer[0], other.answer[0]
        verdicts = [[verdict_of(text_in(row.get(name))) for name in columns] for row in table.rows]
        if any(one is not two for one, two in verdicts if one is not None and two is not None):
            raise _differ(first, other)


def _refuse_contradictions(judges: list[Judge], table: FileTable) -> None:
    """Refuse where two columns judge the same candidates and call different ones right.

    A single flag, such as whether it was a tie, does not count beside one for each candidate.
    """
    first, *others = judges
    if first.has_flags:
        others = [
            one for one in others if one.has_flags or not is_flag(table, one.mapping.answer[0])
        ]
    for other in others if len(first.ways) == 1 else ():
        one = first.ways[0].found
        for two in other.ways if len(other.ways) == 1 else ():
            if any(set(one[row]) != set(two.found[row]) for row in one.keys() & two.found.keys()):
                raise _differ(first.mapping, other.mapping)


def _differ(first: Mapping, other: Mapping) -> Unclear:
    names = commas([*first.answer, *other.answer])
    return Unclear(
        f"Columns say which of the options are right and differ ({names})",
        f"name one of them, as in {first}",
        first,
    )


def _unclear(mapping: Mapping) -> Unclear:
    answer, options = commas(mapping.answer), commas(mapping.options)
    all_right = replace(mapping, answer=mapping.options, options=())
    return Unclear(
        f'The column "{answer}" may say which of the texts in "{options}" are right',
        f"if so, map {mapping} (with right=highest, right=>=N or right=WORD where it has numbers "
        f"or other words); if all of them are right, map {all_right}",
        mapping,
    )
