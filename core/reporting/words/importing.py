"""The report of an import in sentences: everything that happened to the file, and what to do."""

from collections.abc import Iterator

from ...curation.candidates.quiz import Key, Quiz, Unfit
from ...curation.drafts import JoinedBy
from ...curation.files.tables import commas
from ...curation.importing import ImportReport
from ...curation.mapping import Mapping
from ...settings import OnDifference
from ...text import short

ROWS_NAMED = 10
"""How many of the rows that were left out are named in a sentence."""

_JOINED = {
    JoinedBy.SAME: "their queries and answers are letter for letter the same",
    JoinedBy.FOLD: (
        "their queries and answers are the same but for outer white space, invisible characters or "
        "how letters are composed"
    ),
}

_SETTLED = {
    OnDifference.LEAVE: "the pool keeps its own values",
    OnDifference.ADD: "the pool got what is new of them: rows changed: {:,}",
    OnDifference.REPLACE: "the pool got the file's values: rows changed: {:,}",
}


def how_it_was_read(report: ImportReport) -> Iterator[str]:
    """How the file was read, and how its columns became queries and answers."""
    mapping = report.mapping
    if report.shape:
        yield f"Read as: {report.shape}."
    if len(mapping.query) > 1:
        yield f"A query is the texts of {_and(mapping.query)} together, a line each."
    if report.quiz is not None:
        yield _what_decided(report.quiz, mapping)
    if report.read_as_lists:
        counts = ", ".join(f'"{short(name)}": {n:,}' for name, n in report.read_as_lists.items())
        yield (
            f"Cells of text that were read as lists of texts: {counts}; split=none in the mapping "
            "keeps every cell whole."
        )
    if report.kept_objects:
        counts = ", ".join(f'"{short(name)}": {n:,}' for name, n in report.kept_objects.items())
        yield f"Cells with an object written out as text, kept as the text: {counts}."


def what_became_of_it(report: ImportReport) -> Iterator[str]:
    """What was not used, and what was joined or excluded."""
    if report.quiz is not None:
        yield from _what_was_left_out(report.quiz)
    if report.unused_columns:
        yield f"Columns that are not used: {commas(report.unused_columns)}."
    if report.unread_keys:
        yield f"Keys of the file that were not read: {commas(report.unread_keys)}."
    if report.blended.queries:
        queries, columns = report.blended.queries, report.blended.columns
        yield (
            f"Queries whose rows differ in columns that are not used ({commas(columns)}): "
            f"{queries:,}; the answers of such rows count as answers of one query. If a column "
            f"belongs to the question, join them: query={'+'.join(report.mapping.query)}+COLUMN."
        )
    for joined in report.joined:
        why = _JOINED[joined.by]
        yield f"Answers joined with those of an earlier row: {joined.answers:,}; {why}."
    if report.excluded:
        words = ", ".join(f"{short(word)}: {count:,}" for word, count in report.excluded.items())
        yield (f"Rows that their own status excludes: {sum(report.excluded.values()):,} ({words}).")


def how_it_differs(report: ImportReport) -> Iterator[str]:
    """How many rows differ from the pool, in what, and what was done; none if none differs."""
    count = len(report.differing)
    if count:
        rows = "1 row differs" if count == 1 else f"{count:,} rows differ"
        fields = ", ".join(report.differing_fields)
        settled = _SETTLED[report.on_difference].format(report.changed)
        yield f"{rows} from the pool in {fields}; {settled}."


def what_it_can_show(report: ImportReport) -> Iterator[str]:
    """What a file can and cannot show where queries have no incorrect answers; none if all have."""
    queries, having = report.queries, report.queries_with_incorrect
    if not having:
        yield (
            f"Queries with incorrect answers: none of {queries:,}; contexts and the map work as "
            "with any pool, and Calibrate and Compare can show by how much a context raises the "
            "probability of the right answer, but not whether it raises it above wrong ones (DPO "
            "per triple, MC1 to MC3)."
        )
    elif having < queries:
        yield (
            f"Queries with incorrect answers: {having:,} of {queries:,}; DPO per triple and MC1 to "
            "MC3 rest on these alone, and for the others Calibrate and Compare can show by how "
            "much a context raises the probability of the right answer."
        )


def _what_decided(quiz: Quiz, mapping: Mapping) -> str:
    answers = _and(mapping.answer)
    options = commas([_quoted(name) for name in mapping.options])
    if quiz.key in (Key.FLAG, Key.NUMBER):
        values = "numbers" if quiz.key is Key.NUMBER else "values"
        right = f" (right={short(mapping.right)})" if mapping.right else ""
        return (
            f"The {values} in {answers} say which texts in {options} are right{right}: these "
            "became answers, and the others incorrect answers of their queries "
            f"(rows: {quiz.rows:,})."
        )
    by = f"positions, counted from {quiz.first}" if quiz.key is Key.POSITION else f"{quiz.key}s"
    return (
        f"The answers in {answers} name the options in {options} by their {by}: each became the "
        f"text of its option, and the other options incorrect answers (rows: {quiz.rows:,})."
    )


def _what_was_left_out(quiz: Quiz) -> Iterator[str]:
    for why in Unfit:
        rows = [each for each in quiz.left_out if each.why is why]
        if rows:
            named = [f'{each.row:,} ("{short(each.value, 30)}")' for each in rows]
            yield f"Rows left out because {why}: {len(rows):,}; row {commas(named, ROWS_NAMED)}."


def _quoted(name: str) -> str:
    return f'"{short(name)}"'


def _and(names: tuple[str, ...]) -> str:
    return " and ".join(_quoted(name) for name in names)
