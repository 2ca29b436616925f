"""What a command prints for people: the same figures as its JSON document, as a table."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from ..curation.importing import ImportReport
from ..evaluation.outcomes.pairs import SUM
from ..evaluation.results.calibration import Calibration
from ..evaluation.results.cells import DPO
from ..evaluation.results.comparison import Comparison
from ..evaluation.results.headline import CORRECT_ONLY
from ..metrics.scores import OfAnswer
from ..reporting.tables.orders import orders_table
from ..reporting.tables.pairs import sums_figures, wins_figures
from ..reporting.tables.table import Column, Study, Table, Value
from ..reporting.words.basis import basis_sentences
from ..reporting.words.cautions import doubt_counts, leak_sentence, skipped_sentences
from ..reporting.words.findings.comparison_findings import has_figure
from ..reporting.words.orders import order_sentences
from ..reporting.words.own_answers import doubt_sentence, ending, own_answer_sentences
from ..reporting.words.provenance import comparison_what
from ..reporting.words.rows import RowWord, row_word
from ..reporting.words.verdict import label_sentences, sorting_warnings, verdict_sentences
from ..studio.pools.tasks import PoolTask
from ..text import short
from .console import one_line
from .documents import (
    CollectionList,
    Document,
    Embedded,
    Evaluated,
    ModelList,
    OfTask,
    OwnAnswers,
    PassagesEmbedded,
    PassagesFound,
    PassagesImported,
    Path,
    PoolList,
    Prompt,
    Retrieved,
)

LINE = 100
"""Letters of a line, after which the columns of figures continue below."""
NAMED = 20
"""How many odd rows of an import are printed."""
LABELS = ("label_consistency",)
ANSWERS_COMPARED = (DPO, "dpo", "delta", "triple_accuracy", "mc1", "mc2", "mc3_normalised")
GAINS = ("gain_per_token", "gain_per_answer")
GENERATED = tuple(OfAnswer.__annotations__)

_IN_SENTENCES = (
    "oddities", "unused_columns", "unread_keys", "blended", "joined", "excluded", "read_as_lists",
    "kept_objects", "quiz", "leftovers", "differing", "on_difference", "changed", "shape",
    "delimiter", "sheet", "sheets", "queries_with_incorrect",
)  # fmt: skip
"""Parts of an import's report that are sentences on standard error, or in a table below."""


class Result(Protocol):
    """What a command returns: something with a JSON form."""

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""


def as_text(command: str, result: Result) -> str:
    """The result of a command as lines for a terminal."""
    special = _PRINTERS.get(command)
    if special is not None:
        return special(result)
    own = result.to_text() if isinstance(result, Document) else ""
    return own or in_pairs(result)


def in_pairs(result: Result) -> str:
    """The keys of a result's JSON document with their values, a line each."""
    return pairs(result.to_json())


def pairs(fields: Mapping[str, object]) -> str:
    """The names with their values, a line each."""
    width = max((len(name) for name in fields), default=0)
    return "\n".join(f"{name:<{width}}  {_cell(value)}" for name, value in fields.items())


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:z.3f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, dict):
        known = {name: item for name, item in value.items() if item is not None}
        return ", ".join(f"{name}: {_cell(item)}" for name, item in known.items()) or "-"
    if isinstance(value, list | tuple):
        return ", ".join(_cell(item) for item in value) or "-"
    return one_line(str(value))


def _table(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    cells = [[_cell(name) for name in names], *[[_cell(value) for value in row] for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(names))]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def folded(table: Table) -> str:
    """A table of figures; columns beyond a line continue below, after those that name the rows."""
    rows = [
        [_rounded(value, column) for value, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    lines = [table.names, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(table.names))]
    keys = _naming(rows)
    parts, width = [list(keys)], 0
    for place in range(len(keys), len(widths)):
        width += widths[place] + 2
        if width + sum(widths[key] + 2 for key in keys) - 2 > LINE and len(parts[-1]) > len(keys):
            parts.append(list(keys))
            width = widths[place] + 2
        parts[-1].append(place)
    folded = ([[line[place] for place in part] for line in lines] for part in parts)
    return "\n\n".join(_table(names, figures) for names, *figures in folded)


def _naming(rows: Sequence[Sequence[str]]) -> range:
    """The fewest first columns that distinguish all rows."""
    most = len(rows[0]) if rows else 1
    for number in range(1, most):
        if len({tuple(row[:number]) for row in rows}) == len(rows):
            return range(number)
    return range(1)


def _rounded(value: Value, column: Column) -> str:
    if isinstance(value, float) and column.places is not None:
        return f"{value:z.{column.places}f}"
    return _cell(value)


def rows_and_rest(rows: Iterable[object], names: Sequence[str], rest: Mapping[str, object]) -> str:
    """Records as a table with a column for each of these fields, and the rest below."""
    table = _table(names, [[getattr(row, name) for name in names] for row in rows])
    return f"{table}\n{pairs(rest)}" if rest else table


def _without(result: Result, *names: str) -> dict[str, object]:
    """The result without the fields that only the JSON document has room for."""
    return {name: value for name, value in result.to_json().items() if name not in names}


def _print_import(result: ImportReport) -> str:
    parts = [pairs(_without(result, *_IN_SENTENCES) | {"mapping": str(result.mapping)})]
    for oddity in result.oddities:
        names = ("id", "rows", f"{oddity.kind.against} rows", "query", "answer")
        odd = oddity.demonstrations
        rows = [[row.id, row.rows, row.against, row.query, row.answer] for row in odd[:NAMED]]
        more = f"\n... and {len(odd) - NAMED:,} more; --json has all" if len(odd) > NAMED else ""
        parts.append(f"{oddity.sentence}\n{_table(names, rows)}{more}")
    return "\n\n".join(parts)


def _print_model(result: ModelList) -> str:
    return rows_and_rest(result.models, ("name", "parameters", "bytes", "path"), {})


def _print_pools(result: PoolList) -> str:
    names = ("name", "demonstrations", "queries", "triples", "excluded", "version")
    return rows_and_rest(result.pools, names, {})


def _print_task(result: PoolTask) -> str:
    parts = [result.sentence]
    if result.labels:
        parts.append(rows_and_rest(result.labels, ("label", "count", "share", "word"), {}))
    if result.exemplar is not None:
        parts.append(f"What a model reads of one demonstration:\n\n{result.exemplar}")
    return "\n\n".join(parts)


def _print_retrieve(result: Retrieved) -> str:
    parts = ("relevance", "quality_bias", "redundancy", "value")
    names: tuple[str, ...] = ("rank", "id", *parts, "query", "answer")
    known = {name: value for name, value in vars(result.selection).items() if value is not None}
    unseen = ("demonstrations", "doubts", "notes", "own", *OfTask.__annotations__)
    rest = _without(result, *unseen) | dict(result.own)
    if result.task is not None:
        names = ("rank", "stage_1", "id", "label", "relevance", "value", "query", "answer")
        shown = {"exemplars shown": result.exemplars, "shortened": result.shortened}
        rest |= {"task": result.task, **shown}
    rest["selection"] = known
    return "\n".join([rows_and_rest(result.demonstrations, names, rest), *result.notes])


def _print_embed(result: Embedded) -> str:
    rest = _without(result, "cut", "unread", "foreign", "notes")
    counted = {"cut": len(result.cut), "unread": f"{result.unread:.0%}"}
    return "\n".join([pairs(rest | counted), *result.notes])


def _print_path(result: Path) -> str:
    head = ("lambda_low", "lambda_high", "ids")
    rows = [[piece.low, piece.high, piece.value] for piece in result.pieces]
    return f"{_table(head, rows)}\n{pairs(_without(result, 'pieces'))}"


def _print_prompt(result: Prompt) -> str:
    return f"{result.prompt}\n\n({_tokens(result.tokens)})"


def _tokens(count: int | None) -> str:
    return "tokens not counted" if count is None else f"{count:,} tokens"


def _print_answer(result: OwnAnswers) -> str:
    parts = []
    for row in result.answers:
        head = "with the context" if row.context else "without a context"
        mean = row.log_prob_per_token
        per_token = "" if mean is None else f", {mean:.2f} nats per token"
        facts = f"{_tokens(row.tokens)}{per_token}, ended by {row.ended_by}"
        if not row.ended_by.is_answer:
            facts = f"no answer: {ending(row.ended_by)}"
        thoughts = [f"(thoughts, no part of the answer:)\n{row.thoughts}"] if row.thoughts else []
        written = [f"{head} ({facts}):", row.text or row.instead, *thoughts]
        parts.append("\n".join([*written, *map(doubt_sentence, row.doubts)]))
    return "\n\n".join(parts)


def _print_evaluate(result: Comparison | Evaluated) -> str:
    comparison = result.comparison if isinstance(result, Evaluated) else result
    if not comparison.earlier:
        return _of_one_model(comparison)
    named = zip(comparison.model_names, comparison.models, strict=True)
    parts = [f"Model {name}\n\n{_of_one_model(each)}" for name, each in named]
    orders = orders_table(comparison)
    sentences = "\n".join(order_sentences(comparison))
    return "\n\n".join([*parts, folded(orders), sentences])


def _of_one_model(comparison: Comparison) -> str:
    lead, rest = comparison.metric, _beside(comparison)
    rows = []
    for method, figures in comparison.methods.items():
        leaks = figures.leaks.contexts
        first, *others = (comparison.value(method, name) for name in (lead, *rest))
        rows.append([method, first.mean, first.ends, *(each.mean for each in others), leaks])
    word = row_word(comparison)
    columns = tuple(map(Column, (word, lead, f"95 % of {lead}", *rest, "leaks")))
    parts = [folded(Table(columns, tuple(map(tuple, rows))))]
    if word is not RowWord.METHOD:
        parts.append(f"The {word}s: {comparison_what(comparison)}.")
    parts += basis_sentences(comparison.basis)
    parts += [_differences(comparison, reference) for reference in _references(comparison)]
    of_labels = (*label_sentences(comparison), *sorting_warnings(comparison))
    sentences = (*verdict_sentences(comparison), *of_labels, *own_answer_sentences(comparison))
    if sentences:
        parts.append("\n".join(sentences))
    for reference in _references(comparison):
        parts += _pairs_with(comparison, reference)
    parts += _by_kind(comparison)
    parts += skipped_sentences(comparison)
    if leaking := leak_sentence(comparison):
        parts.append(leaking)
    parts += doubt_counts(comparison)
    named = ("methods", "settings", "skipped_examples", "together", "look")
    unseen = (*named, "pairs", "labels", "earlier", "orders")
    return "\n\n".join([*parts, pairs(_without(comparison, *unseen))])


def _beside(comparison: Comparison) -> list[str]:
    """The metrics besides the one that leads: those that have a figure and fit a line."""
    gains = GAINS if comparison.without_incorrect else ()
    return [
        name
        for name in (*LABELS, *ANSWERS_COMPARED, CORRECT_ONLY, *gains, *GENERATED, "diversity")
        if name != comparison.metric and has_figure(comparison, name)
    ]


def _references(comparison: Comparison) -> list[str]:
    named = (reference for each in comparison.methods.values() for reference in each.differences)
    return list(dict.fromkeys(named))


def _differences(comparison: Comparison, reference: str) -> str:
    """Each method's paired differences from the reference."""
    beside = "mc1" if comparison.metric == DPO else "gain_per_answer"
    names = (comparison.metric, beside)
    rows = [
        [f"{method} less {reference}", *(found.get(name) for name in names)]
        for method, each in comparison.methods.items()
        if (found := each.differences.get(reference))
    ]
    return _table(("paired, 95 %", *names), rows)


def _pairs_with(comparison: Comparison, reference: str) -> list[str]:
    """Each row's wins over the reference, and whether its better sums go with better answers."""
    tables = [
        (f"Wins in {name} (the larger value)", wins_figures(comparison, name, reference))
        for name in (SUM, comparison.metric)
    ]
    title = f"Rank correlation of the difference in {SUM} with that in {comparison.metric}"
    tables.append((title, sums_figures(comparison, reference)))
    return [f"{title}\n{folded(each)}" for title, each in tables if each.rows]


def _by_kind(comparison: Comparison) -> list[str]:
    """DPO per triple by kind of incorrect answer, in a list of one; none without kinds."""
    kinds = comparison.kinds
    rows = [
        [method, *(each.by_kind[kind] for kind in kinds)]
        for method, each in comparison.methods.items()
    ]
    return [_table(("dpo_per_triple by kind", *kinds), rows)] if kinds else []


def _print_calibrate(calibration: Calibration) -> str:
    from ..reporting.words.reading import read_calibration

    metric = calibration.metric
    value = "dpo" if metric == DPO else metric
    names = ("lambda_d", metric, f"{value}_low", f"{value}_high", "diversity", "leaks")
    rows = [
        [
            *(cell.lambda_d, cell.value.mean, cell.value.low, cell.value.high, cell.diversity.mean),
            cell.leaks.contexts,
        ]
        for cell in calibration.cells
    ]
    unseen = ("curve", "settings", "steps", "recommendation", "skipped_examples", "look")
    rest = pairs(_without(calibration, *unseen))
    reading = read_calibration(calibration)
    sentences = (reading.headline, *reading.warnings, *reading.sentences)
    return "\n".join([_table(names, rows), rest, "", *sentences])


def print_study(study: Study) -> str:
    """The tables below their titles, then the notes."""
    tables = (f"{title}\n\n{folded(table)}" for title, table in study.tables)
    return "\n\n".join([*tables, "\n".join(study.notes)])


def _print_passages(result: Document) -> str:
    if isinstance(result, PassagesImported):
        return pairs(_without(result, "columns", "unused_columns", "warnings"))
    if isinstance(result, CollectionList):
        return rows_and_rest(result.collections, ("name", "passages", "documents", "sources"), {})
    if isinstance(result, PassagesEmbedded):
        rest = _without(result, "cut", "notes") | {"cut": len(result.result.cut)}
        return "\n".join([pairs(rest), *result.result.notes])
    if isinstance(result, PassagesFound):
        names = ("id", "score", "probability", "source", "document", "part", "title")
        rows = [
            [*(getattr(row, name) for name in names), short(row.text, LINE)]
            for row in result.result.passages
        ]
        table = _table((*names, "text"), rows)
        return f"{table}\n{pairs(_without(result, 'passages'))}"
    return in_pairs(result)


_PRINTERS: dict[str, Callable[[Any], str]] = {
    "import": _print_import,
    "model": _print_model,
    "pools": _print_pools,
    "embed": _print_embed,
    "task": _print_task,
    "retrieve": _print_retrieve,
    "path": _print_path,
    "prompt": _print_prompt,
    "answer": _print_answer,
    "evaluate": _print_evaluate,
    "calibrate": _print_calibrate,
    "passages": _print_passages,
    **dict.fromkeys(("neighbours", "fixed"), print_study),
}
