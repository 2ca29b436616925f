"""Self-ask, refined: training examples first, and at each step a search query and a short answer.

What it finds looks as passages do in the prompts of the other programs, "title | text" in quotes.
"""

from ..example import Example
from ..primitives import all_but, retrieve, sample
from ..primitives.demonstrate import SHOTS
from ..prompting.template import one_line, shown
from ..run import Run
from .self_ask import BETWEEN, FINAL, FURTHER, OPENING, after, final_answer, write

SEARCH = "Search query:"
PASSAGE = "Passage:"
NOT_FOUND = "N/A"
"""What is shown where no passage was found."""

DEMONSTRATIONS = f"""\
Question: Which of two rivers is longer, the Danube or the Rhine?
{OPENING} Yes.
{FURTHER} How long is the Danube?
{SEARCH} length of the Danube
{PASSAGE} «Danube | The Danube is a river of Europe. It reaches the Black Sea after 2,850 km.»
{BETWEEN} 2,850 km
{FURTHER} How long is the Rhine?
{SEARCH} length of the Rhine
{PASSAGE} «Rhine | The Rhine rises in the Alps and flows into the North Sea after 1,230 km.»
{BETWEEN} 1,230 km
{FINAL} the Danube

Question: In which country was the composer of The Magic Flute born?
{OPENING} Yes.
{FURTHER} Who composed The Magic Flute?
{SEARCH} composer of The Magic Flute
{PASSAGE} «The Magic Flute | The Magic Flute is an opera in two acts by Wolfgang Amadeus Mozart, \
first performed in 1791.»
{BETWEEN} Wolfgang Amadeus Mozart
{FURTHER} Where was Wolfgang Amadeus Mozart born?
{SEARCH} birthplace of Wolfgang Amadeus Mozart
{PASSAGE} «Wolfgang Amadeus Mozart | Born in Salzburg in 1756, he composed from the age of five.»
{BETWEEN} Salzburg, Austria
{FINAL} Austria

Question: How many legs does a spider have?
{OPENING} No.
{FINAL} eight

Question: Are the Louvre and the Prado in the same city?
{OPENING} Yes.
{FURTHER} Where is the Louvre?
{SEARCH} Louvre city
{PASSAGE} «Louvre | The Louvre is a museum in Paris, on the right bank of the Seine.»
{BETWEEN} Paris
{FURTHER} Where is the Prado?
{SEARCH} Prado city
{PASSAGE} «Museo del Prado | The Prado is the national art museum of Spain, in central Madrid.»
{BETWEEN} Madrid
{FINAL} no"""
"""The four of self-ask with a query, a passage and a short answer at each step; written by hand."""

STOP = (f"\n{PASSAGE}", "\nQuestion:")
"""Where the model stops: a passage is found, and another question is not asked for."""


def refined_self_ask(
    run: Run, example: Example, *, shots: int = SHOTS, most_questions: int = 4
) -> Example:
    """The example with its answer and the passages that were found on the way.

    Args:
        run: With a retriever, of which each query gets the first passage.
        example: The question with its training examples.
        shots: How many of these are sampled and shown first, with their answers alone; 0 shows
            none. What has no room is left out from the front.
        most_questions: After so many searches the model must answer; 0 lets it make none.

    Raises:
        InvalidInput: The prompt does not fit the window even without training examples.

    Source: the refined self-ask of Khattab et al. 2022, Demonstrate-Search-Predict, section 3.3;
        the wording is inferred.
    """
    train = sample(all_but(example.train, example), shots, run.seed)
    text = f"{DEMONSTRATIONS}\n\nQuestion: {one_line(example.question)}\n{OPENING}"
    for _ in range(most_questions):
        written = write(run, text, STOP, train)
        query = after(written, SEARCH) or after(written, FURTHER)
        if FINAL in written or not query:
            break
        found = tuple(each.passage for each in retrieve(run, query, 1))
        example = example.copy(passages=(*example.passages, *found))
        seen = shown(Example(passages=found), "context") or NOT_FOUND
        text += f"{written.rstrip()}\n{PASSAGE} {seen}\n{BETWEEN}"
    else:
        written = write(run, text, (f"\n{FURTHER}", *STOP), train)
    return example.copy(pred=final_answer(run, text, written, STOP, train))
