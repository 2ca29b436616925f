"""What a trial was asked for and made with, how far it is, and what to mind of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...generation import MAX_NEW_TOKENS
from ...passages.search import SearchBy
from ...programs.run import TEMPERATURE
from ...programs.trial import Answer, Demonstrated, Trial, TrialRow, summarised
from ...programs.trial.drawing import SEEDS
from ...programs.trial.running import Record, rows_of
from ...recorded import Recorded
from ...settings import SCRIPTED
from ...store import Json
from ...text import short
from ..session.models import caution
from ..session.studio import Setup

SCRIPTED_SAYS = (
    "The model is scripted: rules that read the passages in the prompt, with planted faults. Its "
    "figures show how the parts of a program work, and say nothing about language models."
)


@dataclass(frozen=True, kw_only=True)
class TrialRequest(Recorded):
    """Which programs run, on what, and with which numbers.

    Attributes:
        programs: Names of programs, the first one being what the others are compared with.
        pool: Training examples are drawn from its demonstrations; one a query.
        passages: The collection that is searched; None for programs that search for none.
        knobs: Numbers in place of the paper's, by the knobs' names.
        ablate: Whether each program is also run without each of its parts.
        question: The only question, in place of a pool's; where the pool has it as a query, its
            answers are known.
        examples: Another pool whose queries are the questions; None is the pool itself.
        seeds: How many draw training examples and share the questions, >= 1.
        limit: The most questions, >= 1, in the order in which evaluations take them; None is all.
        by: What passages are compared with a query by.
        encoder: Of the passages; None is the bundled one.
        model: None is the chosen one.
        sampling: The temperature of several texts.
        max_new_tokens: The most tokens of a text.
    """

    programs: tuple[str, ...]
    pool: str
    passages: str | None = None
    knobs: Mapping[str, int] = field(default_factory=dict)
    ablate: bool = False
    question: str | None = None
    examples: str | None = None
    seeds: int = SEEDS
    limit: int | None = None
    by: SearchBy = SearchBy.FUSED
    encoder: str | None = None
    model: str | None = None
    sampling: float = TEMPERATURE
    max_new_tokens: int = MAX_NEW_TOKENS

    @property
    def setup(self) -> Setup:
        """The pool, and what works with it."""
        return Setup(self.pool, self.encoder, self.model)

    @property
    def rows(self) -> tuple[TrialRow, ...]:
        """The rows that it asks for.

        Raises:
            InvalidInput: An unknown program or knob, or a value that is not allowed.
        """
        return rows_of(self.programs, self.knobs, ablate=self.ablate)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialBasis(Recorded):
    """What a trial was made with.

    Attributes:
        pool: The pool of the training examples.
        pool_version: Its version.
        examples: The pool of the questions.
        questions: How many there are.
        seeds: How many seeds have some of them.
        shots: Training examples that each seed was to draw.
        drawn: The fewest that one drew.
        passages: The collection; None where nothing is searched.
        passages_version: Its version.
        by: What passages are compared with a query by; None where nothing is searched.
        encoder: The encoder's name; None where none is used.
        model: The model's name.
        sampling: The temperature of several texts.
        max_new_tokens: The most tokens of a text.
        run: The number of the recorded run.
    """

    pool: str
    pool_version: int
    examples: str
    questions: int
    seeds: int
    shots: int
    drawn: int
    passages: str | None
    passages_version: int | None
    by: str | None
    encoder: str | None
    model: str
    sampling: float
    max_new_tokens: int
    run: int


@dataclass(frozen=True, slots=True)
class TrialSettings(Recorded):
    """What a trial was asked for and made with, as its run is recorded with."""

    request: TrialRequest
    basis: TrialBasis

    @property
    def size(self) -> int:
        """How many questions there are."""
        return self.basis.questions

    @property
    def model(self) -> str:
        """The model's name."""
        return self.basis.model

    def of_run(self, run: int) -> "TrialSettings":
        """The same with the number of the recorded run."""
        return replace(self, basis=replace(self.basis, run=run))


@dataclass(frozen=True)
class TrialReport:
    """A trial, what it was made with, and what to mind of it as sentences."""

    basis: TrialBasis
    trial: Trial
    notes: tuple[str, ...]


@dataclass(frozen=True)
class TrialSoFar:
    """A trial as far as it has come.

    Attributes:
        settings: What was asked for, and what it is made with.
        records: Demonstrations and answers in their order, without questions that failed.
        report: What came out; None before every row has answered every question.
    """

    settings: TrialSettings
    records: tuple[Record, ...]
    report: TrialReport | None = None

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The answers so far."""
        return tuple(each for each in self.records if isinstance(each, Answer))

    def demonstrations_of(self, answer: Answer) -> Demonstrated | None:
        """Those in the answer's prompts, as they were made; None where its program makes none."""
        (row,) = (each for each in self.settings.request.rows if each.name == answer.row)
        return next(
            (
                each
                for each in self.records
                if isinstance(each, Demonstrated)
                and (each.program, each.seed) == (row.program.name, answer.seed)
                and each.knobs == row.demonstrating
            ),
            None,
        )


def record_of(row: Mapping[str, Json]) -> Record:
    """The record that a trial kept."""
    return Demonstrated.from_json(row) if "annotated" in row else Answer.from_json(row)


def is_failed(record: Record) -> bool:
    """Whether it is of a question that failed, which is asked again the next time."""
    return isinstance(record, Answer) and bool(record.error)


def report_of(settings: TrialSettings, records: Sequence[Record]) -> TrialReport:
    """What came out of a trial whose rows have all answered the same questions."""
    request, basis = settings.request, settings.basis
    trial = summarised(request.rows, records)
    return TrialReport(basis, trial, _notes(request, basis, trial))


def _notes(request: TrialRequest, basis: TrialBasis, trial: Trial) -> tuple[str, ...]:
    notes = []
    if basis.model == SCRIPTED:
        notes.append(SCRIPTED_SAYS)
    asked = [answer for each in trial.answers for answer in each.answers]
    notes.append(caution(request.setup.model_name, asked))
    failed = [each for each in trial.answers if each.error]
    if failed:
        notes.append(
            f"Questions that failed and count as wrong: {len(failed):,} of {len(trial.answers):,}; "
            f"the first one: {short(failed[0].error, 200)}"
        )
    if trial.cost.shortened:
        notes.append(
            f"Prompts that had no room for everything: {trial.cost.shortened:,} of "
            f"{trial.cost.calls:,}; left out of them were {trial.cost.raw:,} raw demonstrations, "
            f"{trial.cost.augmented:,} augmented ones and {trial.cost.passages:,} passages."
        )
    if basis.seeds < request.seeds and request.question is None:
        notes.append(
            f"There are fewer questions than seeds: {basis.seeds:,} of {request.seeds:,} "
            "seeds have one."
        )
    if basis.drawn < basis.shots:
        notes.append(
            f"The pool has fewer than {basis.shots:,} training examples: {basis.drawn:,} were "
            "drawn."
        )
    return tuple(filter(None, notes))
