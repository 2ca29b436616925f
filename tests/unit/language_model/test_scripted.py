"""The scripted model: it reads the prompt's passages, and its faults are where its script says."""

import math

import pytest

from core.errors import Cancelled, InvalidInput
from core.generation import EndedBy, GenerationRequest
from core.language_model import known_fingerprint, load
from core.language_model.scripted.facts import AUTHOR, BIRTHPLACE, RIVER, understood
from core.language_model.scripted.script import FAULTY, RIGHT, sharpened, texts_after
from core.programs import Example, Passage
from core.programs.prompting.templates import HOP, MCQ, QA, QA_CONTEXT, QA_COT, REWRITE
from core.types import AnswerRequest
from core.watcher import Watcher

NOVEL = Passage(1, "The Red Door is a novel by Ada Pell. It came out in 1900.", "The Red Door")
AUTHOR_OF_IT = Passage(2, "Ada Pell was born in Velden in 1870, wrote and sailed.", "Ada Pell")
TOWN = Passage(3, "Velden lies on the river Orma. It is known for lace.", "Velden")
OTHER = Passage(4, "Bo Marek was born in Harrow in 1880, wrote and drew maps.", "Bo Marek")
ASKED = "In which town was the author of The Red Door born?"
RIVER_ASKED = "Which river flows through the birthplace of Ada Pell?"


@pytest.fixture(scope="module")
def model():
    return load("scripted")


def likeliest(template, question, *passages, **more):
    prompt = template.prompt(Example(question, passages=passages).copy(**more)).text
    texts = texts_after(prompt)
    assert sum(weight for _, weight in texts) == pytest.approx(1)
    assert texts[0][1] == max(weight for _, weight in texts)
    return texts[0][0]


def faults_of(asked, novel, worked):
    """The faults that a question meets, from what the script writes."""
    hop = texts_after(HOP.prompt(Example(asked, passages=(novel,))).text)
    both = Example(asked, passages=(novel, AUTHOR_OF_IT, OTHER))
    thought = texts_after(QA_COT.prompt(both, (), (worked,)).text)
    alone = texts_after(QA_COT.prompt(both).text)
    met = {
        "hasty": "towns in which" in hop[0][0],
        "slip": thought[0][0].endswith("Harrow"),
        "halfway": all(text.endswith("Ada Pell") for text, _ in alone),
    }
    return {name for name, is_met in met.items() if is_met}


def question_with(faults):
    """A question about a made-up novel that meets just these faults."""
    worked = Example("x", ("y",), augmented=True)
    worked = worked.completed("qa_cot", {"rationale": "z", "answer": "y"}).at("qa_cot")
    letters = "ABCDEFGHIJKLMNOP"
    for work in (f"The {a}aa {b}bb" for a in letters for b in letters):
        asked = f"In which town was the author of {work} born?"
        novel = Passage(1, f"{work} is a novel by Ada Pell.", work)
        if faults_of(asked, novel, worked) == faults:
            return asked, novel, worked
    raise AssertionError("no such question")


def test_a_question_and_its_facts_are_read_again():
    found = understood(f" {ASKED}\nmore")
    assert (found.subject, found.chain.first, found.chain.second) == (
        "The Red Door", AUTHOR, BIRTHPLACE,
    )  # fmt: skip
    assert understood(RIVER_ASKED).subject == "Ada Pell"
    assert understood("Who wrote The Red Door?") is None
    texts = [each.shown for each in (NOVEL, AUTHOR_OF_IT, TOWN, OTHER)]
    assert AUTHOR.of("The Red Door", texts) == "Ada Pell"
    assert AUTHOR.of("The Red Gate", texts) is None
    assert BIRTHPLACE.of("Ada Pell", texts) == "Velden"
    assert RIVER.of("Velden", texts) == "Orma"
    assert BIRTHPLACE.objects(texts) == ["Velden", "Harrow"]
    summary = AUTHOR.summary.format(subject="The Red Door", object="Ada Pell")
    assert AUTHOR.of("The Red Door", [summary]) == "Ada Pell"


def test_without_the_passages_it_cannot_know():
    assert likeliest(QA, ASKED) == " unknown"
    assert likeliest(QA_CONTEXT, ASKED, NOVEL) == " unknown"
    assert likeliest(QA_CONTEXT, ASKED, NOVEL, OTHER) == " Harrow", "a guess from the context"
    assert likeliest(QA_CONTEXT, ASKED, NOVEL, AUTHOR_OF_IT, OTHER) == " Velden"
    assert likeliest(QA_CONTEXT, RIVER_ASKED, TOWN, AUTHOR_OF_IT) == " Orma"
    assert likeliest(QA_CONTEXT, RIVER_ASKED, AUTHOR_OF_IT) == " unknown"
    assert likeliest(MCQ, ASKED, NOVEL, AUTHOR_OF_IT, choices="Harrow; Velden") == " Velden"
    demos = [
        Example("Which river flows through the birthplace of Bo Marek?", ("Wey",)),
        Example("In which town was the author of The Old Gate born?", ("Calder",)),
    ]
    assert texts_after(QA.prompt(Example(ASKED), demos).text) == [(" Calder", 1.0)]
    assert likeliest(QA, "What is the capital of France?") == " unknown"
    assert likeliest(QA_COT, "Who?", NOVEL) == " unknown\n\nAnswer: unknown"


def test_the_hops_ask_for_what_is_missing():
    assert likeliest(REWRITE, ASKED) == (
        " The first step is to find out: Who wrote The Red Door?\n"
        "Search Query: who wrote The Red Door"
    )
    asked, novel, _ = question_with(set())
    assert likeliest(HOP, asked, novel).startswith(f" {novel.title} was written by Ada Pell.")
    assert likeliest(HOP, asked, novel).endswith("Search Query: where was Ada Pell born")
    assert likeliest(HOP, ASKED, OTHER) == (
        " The context does not answer: Who wrote The Red Door?\n\n"
        "Search Query: Who wrote The Red Door?"
    )
    assert likeliest(HOP, ASKED, NOVEL, AUTHOR_OF_IT).endswith("\n\nSearch Query: N/A")


def test_a_hasty_query_is_the_likeliest_and_not_the_most():
    asked, novel, _ = question_with({"hasty"})
    texts = texts_after(HOP.prompt(Example(asked, passages=(novel,))).text)
    beside = [(text, weight) for text, weight in texts if "Ada Pell" not in text.split("Query:")[1]]
    assert beside == [texts[0]]
    assert beside[0][1] == FAULTY < sum(RIGHT)


def test_a_slip_is_the_likeliest_and_not_the_most():
    asked, novel, worked = question_with({"slip"})
    example = Example(asked, passages=(novel, AUTHOR_OF_IT, OTHER))
    texts = texts_after(QA_COT.prompt(example, (), (worked,)).text)
    assert texts[0][0].endswith("Answer: Harrow")
    right = [weight for text, weight in texts if text.endswith("Answer: Velden")]
    assert (len(right), texts[0][1]) == (4, FAULTY)
    assert sum(right) > FAULTY


def test_a_demonstration_with_steps_mends_halfway():
    asked, novel, worked = question_with({"halfway"})
    example = Example(asked, passages=(novel, AUTHOR_OF_IT))
    raw = (Example("Who?", ("x",)),)
    assert [text for text, _ in texts_after(QA_COT.prompt(example, raw).text)] == [
        f" {novel.title} was written by Ada Pell.\n\nAnswer: Ada Pell"
    ]
    assert texts_after(QA_COT.prompt(example, raw, (worked,)).text)[0][0].endswith("Velden")


def test_greedy_and_drawn_texts_and_their_probabilities(model):
    prompt = REWRITE.prompt(Example(ASKED)).text
    weights = [weight for _, weight in texts_after(prompt)]
    ((one, same),) = model.generate([GenerationRequest(prompt, 2, stop=("\n\n---",))])
    assert one == same
    assert one.log_prob == pytest.approx(math.log(weights[0]))
    assert (one.ended_by, one.n_tokens) == (EndedBy.END, len(one.text.split()))
    (drawn,) = model.generate([GenerationRequest(prompt, 2_000, 1.0, seed=3)])
    (fewer,) = model.generate([GenerationRequest(prompt, 7, 1.0, seed=3)])
    assert drawn[:7] == fewer
    texts = [text for text, _ in texts_after(prompt)]
    shares = [sum(each.text == text for each in drawn) / 2_000 for text in texts]
    assert shares == pytest.approx(weights, abs=0.04)
    (other,) = model.generate([GenerationRequest(prompt, 7, 1.0, seed=4)])
    assert [each.text for each in other] != [each.text for each in fewer]
    assert sharpened([0.4, 0.1], 0.5) == pytest.approx([16 / 17, 1 / 17])
    (cold,) = model.generate([GenerationRequest(prompt, 50, 0.01)])
    assert {each.text for each in cold} == {texts[0]}


def test_stops_and_lengths(model):
    prompt = REWRITE.prompt(Example(ASKED)).text
    ((stopped,),) = model.generate([GenerationRequest(prompt, stop=("\nSearch Query:", "Who"))])
    assert (stopped.text, stopped.ended_by) == (" The first step is to find out:", EndedBy.STOP)
    ((short,),) = model.generate([GenerationRequest(prompt, max_new_tokens=3)])
    assert (short.text, short.ended_by, short.n_tokens) == (" The first step", EndedBy.LENGTH, 3)
    with pytest.raises(Cancelled):
        model.generate([GenerationRequest(prompt)], watcher=Watcher(cancelled=lambda: True))
    assert model.generate([]) == []


def test_it_scores_nothing_and_says_so(model):
    with pytest.raises(InvalidInput, match="'scripted' cannot score answers: it follows a script"):
        model.log_probs([AnswerRequest("a", ("b",))])
    with pytest.raises(InvalidInput, match="'scripted' has no hidden states"):
        model.states("a", ["b"])
    assert known_fingerprint("scripted") == model.fingerprint
    assert (model.count_tokens("a b", " c"), model.pieces("a", " b c")) == (3, (" b", " c"))
    assert model.without_tokens("a", (" ", "b")) == (" ",)
    assert model.fits("a", ["b"])
    assert not model.fits("a " * 100_000, ["b"])
