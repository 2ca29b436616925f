"""A calibration or comparison in sentences, made from its figures, for someone who decides."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...evaluation.results.calibration import Calibration
from ...evaluation.results.comparison import Comparison
from ...evaluation.results.run_figures import End, RunFigures
from ...evaluation.results.verdict import CORRECT_ONLY, PER_TRIPLE
from ...interval import Interval
from ...metrics.registry import METRICS
from ...text import counted, listed, three_decimals
from .advice import (
    WINS,
    decision_sentence,
    gain_sentence,
    gap_sentence,
    leakage_sentence,
    sharpen_sentence,
)
from .calibration_findings import (
    ANOTHER_MODEL,
    basis_sentences,
    counted_in,
    is_meaningless,
    lambda_d_finding,
    line_of,
    no_figure,
)
from .cautions import doubt_counts, leak_sentence, skipped_sentences
from .comparison_findings import (
    Leading,
    best_method,
    has_figure,
    kinds_finding,
    lead_of,
    leaders,
    method_finding,
    same_mean,
    verdicts,
)
from .own_answers import own_answer_sentences, right_answers
from .provenance import chosen_among, edits_sentence, examples_used, spread_of
from .rows import (
    percent,
    row_name,
    row_without_demonstrations,
    row_word,
    shows_no_demonstrations,
)
from .verdict import (
    JUDGED,
    caution_where_none_leads,
    label_sentences,
    sorting_warnings,
    verdict_of_the_best,
    verdict_sentences,
)

_MEANING = (
    "DPO per triple: at 0 the context would make the model certain of every correct answer over "
    "every incorrect one; a context that changes nothing has -0.69. Losses weigh more in it than "
    "gains, so that a mean above -0.69 shows that contexts help, but one below shows harm only "
    "where delta is below 0 too."
)


@dataclass(frozen=True)
class Reading:
    """The finding in a sentence, its grounds, and warnings. Plain text."""

    headline: str
    sentences: tuple[str, ...]
    warnings: tuple[str, ...]


def read_calibration(calibration: Calibration) -> Reading:
    """The reading of a calibration, complete or partial."""
    return _with_edits(calibration, _read_calibration(calibration), "calibrate again")


def read_comparison(comparison: Comparison, metric: str | None = None) -> Reading:
    """The reading of a comparison, complete or partial, by a metric, the one that leads if None."""
    found = _read_comparison(comparison, metric)
    headline = f"{found.headline} {right_answers(comparison)}".strip()
    return _with_edits(comparison, replace(found, headline=headline), "compare again")


def _with_edits(figures: RunFigures, reading: Reading, again: str) -> Reading:
    """The reading whose headline begins with what was edited since."""
    edits = edits_sentence(figures.edits, again)
    return replace(reading, headline=f"{edits} {reading.headline}".strip())


def _read_calibration(calibration: Calibration) -> Reading:
    best, advice = calibration.best, calibration.advice
    sentences = [_calibration_compared(calibration)]
    if best is None:
        missing = f"{no_figure(calibration, calibration.metric)}."
        return Reading(_opened(calibration, missing), tuple(sentences), _warnings(calibration, 0))
    facts = METRICS[calibration.metric]
    if is_meaningless(calibration, facts.name):
        headline, grounds = _opened(calibration, ANOTHER_MODEL), (*sentences, _meaning(facts.name))
        return Reading(headline, grounds, _warnings(calibration, best.shortened))
    if advice is not None and advice.needed:
        headline = _too_few(calibration, facts.name, advice.needed, "what lambda_d does")
        return Reading(headline, tuple(sentences), _warnings(calibration, best.shortened))
    headline = f"{lambda_d_finding(line_of(calibration), best)}."
    if advice is not None:
        headline = decision_sentence(calibration, advice)
        more = (
            gain_sentence(advice, facts),
            leakage_sentence(advice, None if best is None else best.knobs),
            gap_sentence(advice, facts),
            sharpen_sentence(advice, calibration.examples),
        )
        sentences += [sentence for sentence in more if sentence]
    sentences.append(_meaning(facts.name))
    if facts.name == PER_TRIPLE and best.verdict is not None:
        sentences.append(verdict_of_the_best(best.verdict, best))
    return Reading(
        _opened(calibration, headline), tuple(sentences), _warnings(calibration, best.shortened)
    )


def _read_comparison(comparison: Comparison, metric: str | None) -> Reading:
    metric = metric or comparison.metric
    facts, best, word = METRICS[metric], best_method(comparison, metric), row_word(comparison)
    shortened = max((each.shortened for each in comparison.methods.values()), default=0)
    compared = (
        f"Compared: {counted(len(comparison.methods), word)} on {examples_used(comparison)}, "
        f"each choosing {_ks(comparison)} demonstrations."
    )
    warnings, finding = _warnings(comparison, shortened), method_finding(comparison, metric)
    if is_meaningless(comparison, metric) and has_figure(comparison, metric):
        grounds = (compared, *label_sentences(comparison), _meaning(metric))
        return Reading(_opened(comparison, ANOTHER_MODEL), grounds, warnings)
    if best is None:
        return Reading(_opened(comparison, f"{finding}."), (compared,), warnings)
    lead = lead_of(comparison, metric)
    if lead is not None and lead.needed:
        headline = _too_few(comparison, metric, lead.needed, f"which {word} serves best")
        counts = (*label_sentences(comparison), *own_answer_sentences(comparison))
        return Reading(headline, (compared, *counts), warnings)
    sentences = [
        compared,
        f"The best mean {facts.label} is that of {row_name(comparison, best)}: "
        f"{comparison.value(best, metric)} ({facts.unit}).",
    ]
    if same := same_mean(comparison, metric):
        sentences.append(
            f"{listed([row_name(comparison, name) for name in same])} have the same mean."
        )
    sentences += _compared_with(comparison, metric)
    if metric in JUDGED:
        sentences += verdict_sentences(comparison)
    if other := _by_right_answers(comparison, best, metric):
        sentences.append(other)
    sentences += label_sentences(comparison)
    sentences += own_answer_sentences(comparison)
    sentences.append(_meaning(metric))
    if metric == PER_TRIPLE and (by_kind := kinds_finding(comparison, best)):
        sentences.append(by_kind)
    all_alike = lead is not None and lead.verdict is Leading.ALL
    tail = ": any of them will do." if all_alike else "."
    none_leads = shows_no_demonstrations(comparison, best) and not all_alike and metric in JUDGED
    beside = caution_where_none_leads(comparison) if none_leads else ""
    headline = f"{plain_figure(comparison, best)} {finding}{tail} {beside}".strip()
    return Reading(_opened(comparison, headline), tuple(sentences), warnings)


def plain_figure(comparison: Comparison, method: str) -> str:
    """In how many queries the right answer wins, against none; empty where none can win.

    Where too few queries have an incorrect answer to win against, what a correct answer gains.
    """
    if comparison.metric == CORRECT_ONLY:
        return _gain_in_words(comparison, method)
    won = comparison.value(method, WINS)
    if won.mean is None:
        return ""
    interval = ""
    if won.low is not None and won.high is not None:
        interval = f" (95 % interval {percent(won.low)} to {percent(won.high)})"
    with_row = f"With {row_name(comparison, method)}"
    shown = f"{with_row} the right answer wins in {_won(won)}{interval}"
    other = (
        None
        if shows_no_demonstrations(comparison, method)
        else row_without_demonstrations(comparison)
    )
    if other is None:
        return f"{shown}."
    return f"{shown}, in {_won(comparison.value(other, WINS), won.n)} without demonstrations."


def _won(share: Interval, asked: int = 0) -> str:
    """In how many queries it wins; of how many only where that is not what was `asked` before."""
    wins = f"{round(share.n * (share.mean or 0.0)):,}"
    return wins if share.n == asked else f"{wins} of {counted(share.n, 'query')}"


def _gain_in_words(comparison: Comparison, method: str) -> str:
    """By how much the method's contexts raise or lower a correct answer; empty without contexts."""
    gain = comparison.value(method, "gain_per_answer")
    if gain.mean is None or shows_no_demonstrations(comparison, method):
        return ""
    sign, word = (1.0, "gains") if gain.mean >= 0 else (-1.0, "loses")
    interval = ""
    if gain.low is not None and gain.high is not None:
        low, high = sorted((sign * gain.low, sign * gain.high))
        interval = f" ({three_decimals(low)} to {three_decimals(high)})"
    each_token = comparison.value(method, "gain_per_token").mean
    token = "" if each_token is None else f", {three_decimals(sign * each_token)} a token"
    return (
        f"With {row_name(comparison, method)} a correct answer {word} "
        f"{three_decimals(sign * gain.mean)} nats{interval} of log-probability{token}."
    )


def _meaning(metric: str) -> str:
    facts = METRICS[metric]
    return _MEANING if metric == PER_TRIPLE else f"{facts.label}: {facts.explanation}"


def _compared_with(comparison: Comparison, metric: str) -> list[str]:
    """Each method against the reference; all these sentences are simultaneously valid."""
    found = verdicts(comparison, metric)
    reference = row_name(comparison, comparison.reference)
    return [
        f"{words} {reference}: {_ranked(comparison, names, metric)}."
        for names, words in (
            (found.better, "Clearly better than"),
            (found.worse, "Clearly worse than"),
            (found.unclear, "No clear difference from"),
        )
        if names
    ]


def _by_right_answers(comparison: Comparison, best: str, metric: str) -> str:
    """The method with the most right answers, where it is another one; a figure, no verdict."""
    if comparison.metric == CORRECT_ONLY or metric == WINS:
        return ""
    most = best_method(comparison, WINS)
    if most is None or best in {most, *leaders(comparison, WINS)}:
        return ""
    won = _won(comparison.value(most, WINS))
    return (
        f"By {METRICS[WINS].label} another {row_word(comparison)} has the best mean: with "
        f"{row_name(comparison, most)} the right answer wins in {won}."
    )


def _opened(figures: RunFigures, headline: str) -> str:
    after = f"after {figures.done:,} of {figures.total:,} examples"
    if figures.partial:
        return f"So far, {after}: {headline}"
    if figures.end in (End.STOPPED, End.SETTLED):
        return f"{figures.end.capitalize()} {after}: {headline}"
    return headline


def _too_few(figures: RunFigures, metric: str, needed: int, what: str) -> str:
    """That nothing can be concluded yet, and about how many examples it takes."""
    opened = _opened(figures, "") or f"{counted(figures.examples, 'example')}: "
    counting = counted_in(figures.basis, metric)
    so_far = f", and {counting}" if counting else ""
    return f"{opened}too few to say {what}. It takes about {needed:,}{so_far}."


def _calibration_compared(calibration: Calibration) -> str:
    cells = calibration.cells
    counts = []
    for name, values, style in (
        ("lambda_d", sorted({cell.lambda_d for cell in cells}), ".2f"),
        ("lambda_b", sorted({cell.lambda_b for cell in cells}), ".2f"),
        ("k", sorted({cell.k for cell in cells}), "d"),
    ):
        many = f"{len(values)} values of " if len(values) > 1 else ""
        counts.append(f"{many}{name} {spread_of(values, style)}")
    settings = calibration.settings
    among = chosen_among(settings.candidates, settings.embed)
    return f"Compared: {', '.join(counts)}, on {examples_used(calibration)}{among}."


def _ks(comparison: Comparison) -> str:
    """How many demonstrations the rows choose; rows that show none count only if all do."""
    ks = {row: each.request.k for row, each in comparison.methods.items()}
    shown = {k for row, k in ks.items() if not shows_no_demonstrations(comparison, row)}
    words = [str(k) for k in sorted(shown or set(ks.values()))]
    return listed(words, "or")


def _ranked(comparison: Comparison, names: Sequence[str], metric: str) -> str:
    """The methods, largest difference first, with their differences."""
    pairs = [(name, comparison.difference(name, metric)) for name in names]
    pairs.sort(key=lambda pair: -abs(pair[1].mean or 0.0) if pair[1] else 0.0)
    return ", ".join(f"{row_name(comparison, name)} by {difference}" for name, difference in pairs)


def _warnings(result: Calibration | Comparison, shortened: int) -> tuple[str, ...]:
    found = sorting_warnings(result) if isinstance(result, Comparison) else []
    if shortened:
        found.append(
            f"In {counted(shortened, 'example')} the context did not fit the model's window; the "
            "least relevant demonstrations were left out there."
        )
    found += skipped_sentences(result)
    if leaks := leak_sentence(result):
        found.append(leaks)
    if isinstance(result, Comparison):
        found += doubt_counts(result)
    return (*found, *basis_sentences(result.basis))
