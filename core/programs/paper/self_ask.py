"""Self-ask: the model asks itself further questions, and passages answer them; its refined form.

Its failure is called self-distraction: it takes the question apart into those of a neighbouring
one, and answers that. What the refined form finds looks as passages do in the prompts of the other
programs, "title | text" in quotes.
"""

from ...errors import InvalidInput
from ...generation import GenerationRequest
from ..example import Example
from ..primitives import all_but, retrieve, sample
from ..primitives.demonstrate import SHOTS
from ..prompting import LeftOut
from ..prompting.template import one_line, shown
from ..run import Run
from ..steps import Call, Step

FURTHER = "Follow up:"
BETWEEN = "Intermediate answer:"
FINAL = "So the final answer is:"
OPENING = "Are follow up questions needed here:"

DEMONSTRATIONS = f"""\
Question: Which of two rivers is longer, the Danube or the Rhine?
{OPENING} Yes.
{FURTHER} How long is the Danube?
{BETWEEN} The Danube is 2,850 km long.
{FURTHER} How long is the Rhine?
{BETWEEN} The Rhine is 1,230 km long.
{FINAL} the Danube

Question: In which country was the composer of The Magic Flute born?
{OPENING} Yes.
{FURTHER} Who composed The Magic Flute?
{BETWEEN} The Magic Flute was composed by Wolfgang Amadeus Mozart.
{FURTHER} Where was Wolfgang Amadeus Mozart born?
{BETWEEN} Wolfgang Amadeus Mozart was born in Salzburg, Austria.
{FINAL} Austria

Question: How many legs does a spider have?
{OPENING} No.
{FINAL} eight

Question: Are the Louvre and the Prado in the same city?
{OPENING} Yes.
{FURTHER} Where is the Louvre?
{BETWEEN} The Louvre is a museum in Paris.
{FURTHER} Where is the Prado?
{BETWEEN} The Prado is a museum in Madrid.
{FINAL} no"""
"""Four, written by hand as in the prompt of Press et al."""


STOP = (f"\n{BETWEEN}", "\nQuestion:")
"""Where the model stops: what answers its question is found, and another one is not asked for."""


def self_ask(run: Run, example: Example, *, most_questions: int = 4) -> Example:
    """The example with its answer and the passages that answered the questions on the way.

    Args:
        run: With a retriever, which answers each question with its first passage.
        example: The question; its training examples are not used.
        most_questions: After so many questions the model must answer; 0 lets it ask none.

    Raises:
        InvalidInput: The prompt does not fit the window, since none of it can be left out.

    Source: Press et al. 2022, Measuring and Narrowing the Compositionality Gap, as the baseline of
        Khattab et al. 2022, Demonstrate-Search-Predict, section 3.3.
    """
    text = f"{DEMONSTRATIONS}\n\nQuestion: {one_line(example.question)}\n{OPENING}"
    for _ in range(most_questions):
        written = write(run, text, STOP)
        question = after(written, FURTHER)
        if FINAL in written or not question:
            break
        found = tuple(each.passage for each in retrieve(run, question, 1))
        answer = one_line(found[0].text) if found else "unknown"
        text += f"{written.rstrip()}\n{BETWEEN} {answer}\n"
        example = example.copy(passages=(*example.passages, *found))
    else:
        written = ""
    return example.copy(pred=final_answer(run, text, written, STOP))


def final_answer(
    run: Run, text: str, written: str, stop: tuple[str, ...], train: tuple[Example, ...] = ()
) -> str:
    """What the model wrote as its final answer; it is asked for one where it wrote none."""
    if FINAL not in written:
        text += f"{written.rstrip()}\n" if written else ""
        written = FINAL + write(run, f"{text.rstrip()}\n{FINAL}", stop, train)
    return after(written, FINAL)


def write(run: Run, text: str, stop: tuple[str, ...], train: tuple[Example, ...] = ()) -> str:
    """What the model writes after the text, up to where a passage belongs.

    Args:
        run: Its trace gets a step.
        text: Demonstrations, the question and what was written so far.
        stop: Where the model stops.
        train: Training examples that come before all, as questions with answers. Those at the front
            are left out where the window has no room for them.

    Raises:
        InvalidInput: The prompt does not fit even without them.
    """
    run.go_on()
    begun, room = run.trace.now(), run.model.window - run.max_new_tokens
    for start in range(len(train) + 1):
        prompt = "\n\n".join([*map(_pair, train[start:]), text])
        tokens = run.model.count_tokens(prompt)
        if tokens <= room:
            break
    else:
        raise InvalidInput(
            f"The prompt of self-ask has {tokens:,} tokens, and {run.model.window:,} is the most "
            f"with the {run.max_new_tokens} that may be written: choose another program or model."
        )
    request = GenerationRequest(
        prompt,
        temperature=run.temperature or 0.0,
        stop=stop,
        max_new_tokens=run.max_new_tokens,
        seed=run.writing_seed,
    )
    ((found,),) = run.model.generate([request], watcher=run.watcher.quietly())
    left_out = LeftOut(tuple(each.question for each in train[:start]))
    seconds = run.trace.now() - begun
    calls = (Call(request, tokens, (found,)),)
    run.trace.add(Step("self_ask", calls=calls, left_out=left_out, seconds=seconds))
    return found.text


def after(text: str, label: str) -> str:
    """The rest of the last line that has the label, after it; "" without one."""
    lines = [line for line in text.split("\n") if label in line]
    return lines[-1].split(label, 1)[1].strip() if lines else ""


def _pair(example: Example) -> str:
    return f"Question: {one_line(example.question)}\nAnswer: {shown(example, 'answer')}"


SEARCH = "Search query:"
PASSAGE = "Passage:"
NOT_FOUND = "N/A"
"""What is shown where no passage was found."""

REFINED_DEMONSTRATIONS = f"""\
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

REFINED_STOP = (f"\n{PASSAGE}", "\nQuestion:")
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
    text = f"{REFINED_DEMONSTRATIONS}\n\nQuestion: {one_line(example.question)}\n{OPENING}"
    for _ in range(most_questions):
        written = write(run, text, REFINED_STOP, train)
        query = after(written, SEARCH) or after(written, FURTHER)
        if FINAL in written or not query:
            break
        found = tuple(each.passage for each in retrieve(run, query, 1))
        example = example.copy(passages=(*example.passages, *found))
        seen = shown(Example(passages=found), "context") or NOT_FOUND
        text += f"{written.rstrip()}\n{PASSAGE} {seen}\n{BETWEEN}"
    else:
        written = write(run, text, (f"\n{FURTHER}", *REFINED_STOP), train)
    return example.copy(pred=final_answer(run, text, written, REFINED_STOP, train))
