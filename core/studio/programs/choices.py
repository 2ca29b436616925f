"""The programs that write demonstrations, what each needs, and the two-hop example."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from ...errors import InvalidInput
from ...language_model import Template as PromptTemplate
from ...passages.reading import read_documents
from ...programs import Example, Program, Run
from ...programs.paper import CATALOGUE
from ...programs.primitives import all_but, generate
from ...programs.prompting import ProgramTemplate, TemplateField
from ...settings import K, data_folder
from .. import passages
from ..pools import pools
from ..session.studio import Studio

NEAREST = "nearest"
"""The program that shows the nearest demonstrations, as Explore does by similarity alone."""

Near: TypeAlias = Callable[[Example, int], tuple[Example, ...]]
"""The training examples nearest to an example, the nearest first."""

_PAIR = re.compile(r"(\S[^{}\n]*) \{query\}\n(\S[^{}\n]*) \{answer\}")


@dataclass(frozen=True, slots=True)
class ProgramChoice:
    """A program that can be chosen.

    Attributes:
        name: By which it is chosen.
        explanation: What it does, in a sentence.
        searches: Whether it needs passages.
        shots: How many demonstrations it has where no number is asked for; None where that cannot
            be chosen.
    """

    name: str
    explanation: str
    searches: bool
    shots: int | None = None


CHOICES = {
    NEAREST: ProgramChoice(
        NEAREST, "After the pool's nearest demonstrations, in the pool's prompt.", False, K
    ),
    **{
        each.name: ProgramChoice(
            each.name, each.explanation, each.searches, each.knobs.get("shots")
        )
        for each in CATALOGUE.values()
        if not each.converses
    },
}
"""Every program by its name, the default first. Conversations have no place in a pool."""


def find_choice(name: str, shots: int | None, passages: str | None) -> ProgramChoice:
    """The program of that name, for so many demonstrations and these passages.

    Raises:
        InvalidInput: There is no such program, or it does not go with the other two.
    """
    if name not in CHOICES:
        raise InvalidInput(f"There is no program {name!r}; choose one of {', '.join(CHOICES)}.")
    choice = CHOICES[name]
    if shots is not None and (choice.shots is None or shots < 0):
        taking = ", ".join(each.name for each in CHOICES.values() if each.shots is not None)
        raise InvalidInput(
            f"{shots:,} demonstrations were asked for in each prompt of the program {name!r}: give "
            f"a number from 0 to one of {taking}."
        )
    if choice.searches and passages is None:
        raise InvalidInput(
            f"The program {name!r} searches passages: name a collection of them, or choose "
            f"{NEAREST} or vanilla, which need none."
        )
    if passages is not None and not choice.searches:
        searching = ", ".join(each.name for each in CHOICES.values() if each.searches)
        raise InvalidInput(
            f"The program {name!r} searches no passages: name none, or choose one of {searching}."
        )
    return choice


def program_of(
    choice: ProgramChoice, shots: int, near: Near | None, template: ProgramTemplate | None
) -> Program:
    """The program, ready to be called with a run and an example.

    Args:
        choice: Which.
        shots: How many demonstrations its prompt shows, where that can be chosen; 0 shows none.
        near: Finds the nearest, for `NEAREST`.
        template: The prompt of `NEAREST`; the others have their own.
    """
    if choice.name == NEAREST:
        assert near is not None
        assert template is not None
        return partial(nearest, near=near, template=template, shots=shots)
    program = CATALOGUE[choice.name].run
    return program if choice.shots is None else partial(program, shots=shots)


def nearest(
    run: Run, example: Example, *, near: Near, template: ProgramTemplate, shots: int
) -> Example:
    """The example with the model's greedy answer after its nearest training examples.

    Args:
        run: Needs no retriever.
        example: The question with its training examples; its own question is left out of them.
        near: Finds the nearest of them.
        template: Of the prompt, in which the nearest one is the last before the question.
        shots: How many are shown; 0 asks without any.
    """
    own = len(example.train) - len(all_but(example.train, example))
    demos = all_but(near(example, shots + own), example)[:shots][::-1]
    (written,) = generate(run, template, example.copy(demos=demos))
    example = example.copy(demos=demos)
    return example.completed(template.name, written.fields).copy(pred=written.last)


def in_parts(template: PromptTemplate) -> ProgramTemplate:
    """The template of a pool's prompts as one whose parts are fields.

    The prompts are the same where no text has line breaks, which become spaces here.

    Raises:
        InvalidInput: Its prompt is a message of a chat, or not one label and one text a line.
    """
    pair = _PAIR.fullmatch(template.demonstration)
    whole = pair is not None and template.query == f"{pair[1]} {{query}}\n{pair[2]}"
    if pair is None or not whole or template.chat or template.before or template.after:
        raise InvalidInput(
            f"The program {NEAREST!r} writes the prompt from labels and texts, which the template "
            f"{template.name!r} does not have: choose the template qa, or another program."
        )
    fields = (
        TemplateField("question", pair[1], ""),
        TemplateField("answer", pair[2], "", generated=True),
    )
    return ProgramTemplate(
        template.name, template.instruction, fields, separator=template.separator, describes=False
    )


TWO_HOP = "two-hop"
"""The name of its pool, and of its collection of passages."""


def load_example(studio: Studio) -> None:
    """Import the pool and the passages; what is there under that name already stays as it is."""
    folder = data_folder()
    if TWO_HOP not in {summary.name for summary in pools.summaries(studio)}:
        pools.run_import(studio, pools.ImportRequest(folder / "two-hop.jsonl", TWO_HOP))
    if TWO_HOP not in passages.names(studio):
        file = folder / "two-hop-passages.jsonl"
        source = read_documents(file)
        passages.run_import(
            studio, passages.PassagesImportRequest(source=source, collection=TWO_HOP)
        )
