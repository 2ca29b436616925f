"""The paper's baselines in the only form that the practice model knows: pairs of Q: and A:."""

from dataclasses import replace
from functools import partial

from core.programs import Example, Run
from core.programs.paper import CATALOGUE, retrieve_then_read, vanilla
from core.programs.primitives import all_but, generate, retrieve, sample
from core.programs.prompting import ProgramTemplate, TemplateField
from core.programs.trial import TrialRow

QUESTION = TemplateField("question", "Q:", "")
ANSWER = TemplateField("answer", "A:", "", generated=True)
PAIRS = ProgramTemplate("pairs", "", (QUESTION, ANSWER), separator="\n\n", describes=False)
"""What the practice model knows: the template `qa` of pools."""
LABELLED = ProgramTemplate(
    "labelled",
    "",
    (TemplateField("context", "Context:", ""), QUESTION, ANSWER),
    separator="\n\n",
    describes=False,
)
"""The same with passages after a label, which it never saw."""


def read_as_a_demonstration(run: Run, example: Example, *, shots: int, k: int) -> Example:
    """Retrieve-then-read whose passages are shown as more pairs, title and text, the best last."""
    found = tuple(each.passage for each in retrieve(run, example.question, k))
    read = [Example(each.title, (each.text,)) for each in reversed(found)]
    demos = (*sample(all_but(example.train, example), shots, run.seed), *read)
    example = example.copy(demos=demos, passages=found)
    (written,) = generate(run, PAIRS, example)
    return example.copy(pred=written.last)


def rows_in_its_own_form(shots: int) -> tuple[TrialRow, TrialRow, TrialRow]:
    """Vanilla, retrieve-then-read with the passage as a pair, and with the passage after a label.

    Args:
        shots: Training examples in front, as they are.
    """
    known, read = CATALOGUE["vanilla"], CATALOGUE["retrieve-then-read"]
    alone = replace(known, run=partial(vanilla, template=PAIRS))
    reading = replace(read, run=read_as_a_demonstration)
    labelled = replace(read, run=partial(retrieve_then_read, template=LABELLED))
    numbers = {"shots": shots, "k": 1}
    return (
        TrialRow("vanilla", alone, {"shots": shots}),
        TrialRow("retrieve-then-read", reading, numbers),
        TrialRow("retrieve-then-read after a label", labelled, numbers),
    )
