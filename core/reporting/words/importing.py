"""The report of an import in sentences: everything that happened to the file, and what to do."""

from collections.abc import Iterator

from ...curation.candidates.quiz import Key, Quiz, Unfit
from ...curation.drafts import JoinedBy, RowOutcome
from ...curation.files.tables import commas
from ...curation.importing import ImportReport
from ...curation.mapping import Mapping
from ...demonstration.fields import FIELD, PLAIN
from ...settings import OnDifference
from ...text import counted, short

ROWS_NAMED = 10
"""How many of the rows that were left out are named in a sentence."""

_SETTLED = {
    OnDifference.LEAVE: "the pool keeps its own values",
    OnDifference.ADD: "the pool got what is new of them: rows changed: {:,}",
    OnDifference.REPLACE: "the pool got the file's values: rows changed: {:,}",
}


_OUTCOMES = {
    RowOutcome.THERE: ("already there", "already there"),
    RowOutcome.ADDS: ("that adds to an earlier row", "that add to an earlier row"),
    RowOutcome.REPEATS: ("that repeats an earlier row", "that repeat an earlier row"),
    RowOutcome.INCORRECT: ("with incorrect answers alone",) * 2,
}


def what_became_of_the_rows(report: ImportReport) -> str:
    """How many rows the file has, and what became of each: every row is in one count."""
    counts = dict(report.row_counts)
    new, made = counts.pop(RowOutcome.NEW, 0), report.demonstrations
    made_of = f" with {made:,} new demonstrations" if new != made else " new demonstrations"
    made_of = " new demonstration" if new == made == 1 else made_of
    parts = [f"{new:,}{made_of}"]
    for outcome, words in _OUTCOMES.items():
        if count := counts.pop(outcome, 0):
            parts.append(f"{count:,} {words[count != 1]}")
    if counts:
        reasons = ", ".join(f"{count:,} x {reason}" for reason, count in counts.items())
        parts.append(f"{sum(counts.values()):,} left out ({reasons})")
    return f"{counted(report.rows, 'row')}: {', '.join(parts)}."


def what_each_column_is(report: ImportReport) -> str:
    """Which columns were taken for what, the query first."""
    return f"Read {'; '.join(_taken_as(report.mapping))}."


def _taken_as(mapping: Mapping) -> Iterator[str]:
    for name in ("query", "answer", "options", "incorrect", *(each.name for each in PLAIN)):
        if columns := mapping.columns_of(name):
            label = _LABELS.get(name) or FIELD[name].label
            yield f"as {label}: {commas(list(map(_quoted, columns)))}"
    for name in ("best", "status"):
        if columns := mapping.columns_of(name):
            yield f"as the {'best answer' if name == 'best' else name}: {_quoted(columns[0])}"


_LABELS = {"query": "the query", "answer": "the answer", "options": "candidates"}


def how_it_was_read(report: ImportReport) -> Iterator[str]:
    """How the file was read, and how its columns became queries and answers."""
    mapping = report.mapping
    if report.shape:
        yield f"Read as: {report.shape}."
    for name, columns in (("query", mapping.query), ("answer", mapping.answer)):
        if len(columns) > 1 and (name == "query" or mapping.joined):
            article = "A" if name == "query" else "An"
            yield f"{article} {name} is the texts of {_and(columns)} together, a line each."
    if report.quiz is not None:
        yield _what_decided(report.quiz, mapping)
    if report.read_as_lists:
        counts = ", ".join(f'"{short(name)}": {n:,}' for name, n in report.read_as_lists.items())
        yield f"Cells of text that were read as lists of texts: {counts}."
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
            "belongs to the question, it can be joined to the query."
        )
    for joined in report.joined:
        if joined.by is JoinedBy.FOLD:
            yield (
                "Answers that differ from those of an earlier row only in outer white space, "
                f"invisible characters or how letters are composed: {joined.answers:,}."
            )
    if report.left_out:
        texts = ", ".join(f"{count:,} x {reason}" for reason, count in report.left_out.items())
        yield f"Texts left out of the rows that were read: {texts}."
    if report.excluded:
        words = ", ".join(f"{short(word)}: {count:,}" for word, count in report.excluded.items())
        yield (f"Rows that their own status excludes: {sum(report.excluded.values()):,} ({words}).")


def how_to_map_it(report: ImportReport) -> Iterator[str]:
    """What the mapping of a command can change about it, as it is written; a page has controls."""
    if report.read_as_lists:
        yield "split=none in the mapping keeps every cell whole."
    if report.blended.queries:
        query = "+".join(report.mapping.query)
        yield f"query={query}+COLUMN in the mapping joins a column to the query."
    left = report.leftovers
    if left and (left.spaced or left.query_end or left.answer_end):
        yield "strip=yes in the mapping takes away white space and the marks in which texts end."
    if left and left.empty:
        words = "|".join(left.empty)
        yield f"empty={words} in the mapping leaves such texts out."


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
        right = f" ({short(mapping.right)})" if mapping.right else ""
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
