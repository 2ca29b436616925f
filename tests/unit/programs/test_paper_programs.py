"""The programs of the paper with a scripted model: what they ask for, to the byte."""

import pytest

from core.errors import InvalidInput
from core.programs import Example, Passage, Run, Turn
from core.programs.paper.conversational import conversational, converse, retrieve_then_read, vanilla
from core.programs.paper.multi_hop import divided, multi_hop
from core.programs.paper.open_domain import comparing, open_domain
from core.programs.paper.self_ask import DEMONSTRATIONS, FINAL, OPENING, self_ask
from core.programs.primitives import sample
from core.programs.prompting.templates import CONV, CONV_QA
from core.programs.run import Reason
from tests.support.scripted_model import ScriptedModel, TableRetriever, text_of

TRAIN = tuple(Example(f"Who made {name}?", (f"{name}smith",)) for name in ("Ax", "Box", "Cup"))
QA_OPENING = """\
Answer each question with a short fact.

---

{demos}Follow this format.

Question: ${{the question to answer}}
Answer: ${{a short fact, often 1 to 5 words}}

---

Question: Who made Ax?
Answer:"""
COT_OPENING = """\
Answer each question from documents of the web, with a short fact.

---

{raw}Follow this format.

Context: ${{passages that may hold the answer}}

Question: ${{the question to answer}}

Rationale: Let's think step by step. ${{the steps that lead to the answer}}

Answer: ${{a short fact, often 1 to 5 words}}

---

{augmented}{query}

Rationale: Let's think step by step."""


def table(*names):
    """For each name's question the passage that has its answer, and one that has none."""
    return {
        f"Who made {name}?": [
            (place * 2, f"{name} was made by {name}smith.", 0.9),
            (place * 2 + 1, f"{name} is a thing.", 0.8),
        ]
        for place, name in enumerate(names)
    }


def test_vanilla_shows_raw_demonstrations_and_searches_for_nothing():
    model = ScriptedModel({"Answer:": " Axsmith\n"})
    asked = Example("Who made Ax?", train=TRAIN)
    found = vanilla(Run(model, seed=5), asked)
    assert (found.pred, found.passages) == ("Axsmith", ())
    shown = sample(TRAIN[1:], 16, 5)
    demos = "\n\n".join(f"Question: {each.question}\nAnswer: {each.answers[0]}" for each in shown)
    assert model.prompts == [QA_OPENING.format(demos=f"{demos}\n\n---\n\n")]
    vanilla(Run(model), asked, shots=0)
    assert model.prompts[1] == QA_OPENING.format(demos="")


def test_retrieve_then_read_adds_the_passages_of_the_question():
    model = ScriptedModel({"Answer:": " Axsmith\n"})
    run = Run(model, TableRetriever(table("Ax", "Box", "Cup")))
    asked = Example("Who made Ax?", train=TRAIN)
    found = retrieve_then_read(run, asked, shots=1)
    assert [each.id for each in found.passages] == [0]
    assert model.prompts[0].endswith(
        "Context: «Ax was made by Axsmith.»\nQuestion: Who made Ax?\nAnswer:"
    )
    assert run.retriever.asked == [("Who made Ax?", 1)]
    retrieve_then_read(run, asked, k=2, passages_for_demos=True)
    assert [k for _, k in run.retriever.asked[1:]] == [2, 2, 2]
    assert (
        "Context:\n[1] «Cup was made by Cupsmith.»\n[2] «Cup is a thing.»\n"
        "Question: Who made Cup?\nAnswer: Cupsmith"
    ) in model.prompts[1]
    talk = asked.copy(history=(Turn("What is Ax?"), Turn("Is it old?")))
    with pytest.raises(InvalidInput, match="searches for passages and has none"):
        retrieve_then_read(Run(model), talk)
    retrieve_then_read(run, talk, shots=0)
    assert run.retriever.asked[-1] == ("What is Ax? Who made Ax?", 1)


def test_the_baselines_of_a_conversation_show_its_turns():
    model = ScriptedModel({"Answer:": " It is old."})
    run = Run(model, TableRetriever({"What is Ax? How old?": [(1, "Ax is old.", 1.0)]}))
    talk = Example("How old?", history=(Turn("What is Ax?", "A tower."),), train=tuple(TALK[1:2]))
    assert vanilla(run, talk, shots=4, template=CONV).pred == "It is old."
    assert model.prompts[0] == (
        "Answer the last question of a conversation.\n\n---\n\n"
        "History:\nUser: What is Box?\nSystem: A ship.\nQuestion: Who built it?\n"
        "Answer: nobody at all\n\n---\n\nFollow this format.\n\n"
        "History: ${the earlier turns of the conversation}\n"
        "Question: ${the question to answer}\nAnswer: ${a full answer}\n\n---\n\n"
        "History:\nUser: What is Ax?\nSystem: A tower.\nQuestion: How old?\nAnswer:"
    )
    retrieve_then_read(run, talk, shots=4, template=CONV_QA)
    assert model.prompts[1].endswith(
        "Context: «Ax is old.»\n\nHistory:\nUser: What is Ax?\nSystem: A tower.\n\n"
        "Question: How old?\n\nAnswer:"
    )


def cot_query(name, passages=2):
    lines = [f"«{name} was made by {name}smith.»", f"«{name} is a thing.»"][:passages]
    numbered = "\n".join(f"[{number}] {line}" for number, line in enumerate(lines, 1))
    context = f"\n{numbered}" if passages > 1 else f" {lines[0]}"
    return f"Context:{context}\n\nQuestion: Who made {name}?"


def test_open_domain_demonstrates_what_worked_then_searches_and_votes():
    def script(prompt):
        name = prompt.rsplit("Who made ", 1)[1].split("?")[0]
        if name == "Dot":
            return [
                " It says so.\n\nAnswer: Dot smith",
                " b\nAnswer: wrong",
                " c\nAnswer: dot smith.",
            ]
        return [f" {name} it is.\n\nAnswer: {'nobody' if name == 'Box' else name + 'smith'}"]

    model = ScriptedModel(script)
    run = Run(model, TableRetriever({**table("Ax", "Box", "Dot"), "Who made Cup?": []}), seed=1)
    train = (*TRAIN, Example("Who made Dot?", ("leak",)))
    found = open_domain(run, Example("Who made Dot?", train=train))
    order = [each.question.split()[2].rstrip("?") for each in sample(TRAIN, 16, 1)]

    assert found.pred == "Dot smith"
    assert [demo.question for demo in found.demos if demo.augmented] == ["Who made Ax?"]
    raw_names = [name for name in order if name != "Ax"]
    assert [demo.question for demo in found.demos[1:]] == [f"Who made {n}?" for n in raw_names]
    (demonstrating, searching, answering) = run.trace.steps
    notes = {"Ax": "kept", "Box": Reason.ANSWER_WRONG, "Cup": Reason.SEARCH_FAILED}
    assert [step.note for step in demonstrating.children] == [notes[name] for name in order]
    assert [each.n for each in model.asked] == [1, 1, 20]
    assert {k for query, k in run.retriever.asked if "Dot" not in query} == {2}
    assert searching.search.k == 7

    def raw(*names):
        shown = "\n\n".join(f"Question: Who made {name}?\nAnswer: {name}smith" for name in names)
        return f"{shown}\n\n---\n\n"

    prompts = [
        COT_OPENING.format(
            raw=raw(*(each for each in order if each != name)), augmented="", query=cot_query(name)
        )
        for name in order
        if name != "Cup"
    ]
    demo = (
        f"{cot_query('Ax')}\n\nRationale: Let's think step by step. Ax it is.\n\n"
        "Answer: Axsmith\n\n---\n\n"
    )
    last = COT_OPENING.format(raw=raw(*raw_names), augmented=demo, query=cot_query("Dot"))
    assert model.prompts == [*prompts, last]
    assert not any("leak" in prompt for prompt in model.prompts)
    assert answering.prompt == last

    again = open_domain(run, found.copy(question="Who made Ax?"))
    assert len(model.asked) == 4
    assert again.demos == found.demos


def test_the_most_frequent_answers_are_compared_by_what_is_found_for_each():
    answers = ["Axsmith", "Bo", "axsmith.", "Cy", "Bo", "Dee", "Eve"]
    model = ScriptedModel(
        lambda prompt: (
            [" Bo"] if "Choices:" in prompt else [f" so\n\nAnswer: {each}" for each in answers]
        )
    )
    asked = Example("Who made Ax?")
    rows = {f"Who made Ax? {name}": [(7, "Bo made it.", 1.0)] for name in ("Bo", "Cy")}
    run = Run(model, TableRetriever({**table("Ax"), **rows}))
    found = comparing(run, asked)
    assert (found.pred, [each.id for each in found.passages]) == ("Bo", [7])
    assert run.retriever.asked[1:] == [
        (f"Who made Ax? {option}", 21) for option in ("Eve", "Axsmith", "Bo", "Cy")
    ]
    assert model.prompts[-1].endswith(
        "Context: «Bo made it.»\n\nQuestion: Who made Ax?\n\n"
        "Choices: Eve; Axsmith; Bo; Cy\n\nAnswer:"
    )
    assert model.asked[-1].greedy

    agreeing = Run(ScriptedModel(lambda prompt: [" so\n\nAnswer: Bo"]), TableRetriever(table("Ax")))
    agreed = comparing(agreeing, asked)
    assert (agreed.pred, agreed.rationale) == ("Bo", "so")
    assert len(agreeing.model.asked) == 1


HOP_1 = """\
Write a search query that helps to answer a complex question.

---

Follow this format.

Question: ${the question to answer}
Rationale: Let's think step by step. ${the steps that lead to the answer}
Search Query: ${one simple query for what is missing}

---

Question: Who leads the town of Ax?
Rationale: Let's think step by step."""
HOP_2 = """\
Write one simple search query for what is still missing to answer a complex question. When the \
context has everything, write N/A.

---

Follow this format.

Context: ${passages that may hold the answer}

Question: ${the question to answer}

Summary: Let's summarize the above context. ${what the context says about the question}

Search Query: ${one simple query for what is missing}

---

Context:
[1] «Find the town.»
[2] «Ax is a town.»
[3] «text 2»
[4] «text 3»
[5] «text 4»
[6] «text 5»

Question: Who leads the town of Ax?

Summary: Let's summarize the above context."""
QA_QUERY = """\
Context:
[1] «Find the town.»
[2] «The town is Ax.»
[3] «Ax is a town.»
[4] «text 2»
[5] «Bo leads Ax.»
[6] «text 7»
[7] «text 8»

Question: Who leads the town of Ax?"""
HOPS = {
    "town": [(1, "Ax is a town.", 1.0), *((id, f"text {id}", 1 - id / 99) for id in range(2, 9))],
    "leader": [
        (6, "Bo leads Ax.", 1.0), (1, "Ax is a town.", 0.99),
        *((id, f"text {id}", 0.98 - id / 999) for id in (7, 8, 9)),
    ],
}  # fmt: skip
LEADER = Example("Who leads the town of Ax?")


def hopping(prompt):
    if "Rationale: Let's think step by step. ${the steps that lead to the answer}\n\nAns" in prompt:
        return [" So it is.\n\nAnswer: Bo"]
    if prompt.startswith("Write a search query"):
        return [
            text_of(" Unlikely.\nSearch Query: town", -3.0),
            text_of(" Find the town.\nSearch Query: town", -1.0),
        ]
    return [" The town is Ax.\n\nSearch Query: leader"]


def test_two_hops_to_the_byte():
    model = ScriptedModel(hopping)
    run = Run(model, TableRetriever(HOPS))
    found = multi_hop(run, LEADER)
    assert model.prompts == [
        HOP_1, HOP_2, COT_OPENING.format(raw="", augmented="", query=QA_QUERY),
    ]  # fmt: skip
    assert [(each.n, each.temperature) for each in model.asked] == [(10, 0.7), (10, 0.7), (20, 0.7)]
    assert run.retriever.asked == [
        ("town", 15), (LEADER.question, 15), ("leader", 15), (LEADER.question, 15),
    ]  # fmt: skip
    assert (found.pred, found.summaries) == ("Bo", ("Find the town.", "The town is Ax."))
    assert [each.id for each in found.passages] == [1, 2, 6, 7, 8]
    assert [each.stage for each in found.stages] == ["hop 1", "hop 2", "qa_cot"]
    assert [each.id for each in found.at("hop 2").passages] == [1, 2, 3, 4, 5]


def test_the_general_form_stops_at_three_hops():
    model = ScriptedModel(hopping)
    found = multi_hop(Run(model, TableRetriever(HOPS)), LEADER, max_hops=3)
    assert len(model.prompts) == 4
    assert found.summaries == ("Find the town.", "The town is Ax.", "The town is Ax.")
    assert len(found.passages) == 5
    assert "[8] «" in model.prompts[3]
    assert "[9] «" not in model.prompts[3]


def test_not_available_at_the_first_hop_searches_for_nothing():
    model = ScriptedModel(
        lambda prompt: (
            [" Known.\nSearch Query: N/A"] if prompt.startswith("Write") else [" a\nAnswer: b"]
        )
    )
    run = Run(model, TableRetriever(HOPS))
    found = multi_hop(run, LEADER)
    assert (run.retriever.asked, found.passages, found.pred) == ([], (), "b")
    assert len(model.prompts) == 2
    assert "Context: N/A\n\nQuestion: Who leads" in model.prompts[1]
    multi_hop(run, LEADER, max_hops=0)
    assert len(model.prompts) == 3


def test_a_hop_ends_the_search_where_most_of_its_queries_are_not_available():
    likely = text_of(" Known.\nSearch Query: N/A", -0.1)
    town = text_of(" Find the town.\nSearch Query: town", -1.0)
    for queries, asked in (
        ([likely, town, town], ["town", LEADER.question]),
        ([town, likely, likely], []),
    ):
        model = ScriptedModel(
            lambda prompt, queries=queries: (
                queries if prompt.startswith("Write") else [" a\n\nAnswer: b"]
            )
        )
        run = Run(model, TableRetriever(HOPS))
        multi_hop(run, LEADER, max_hops=1)
        assert [query for query, _ in run.retriever.asked] == asked


def test_passages_are_divided_among_hops():
    def found(*ids):
        return [Passage(id, "") for id in ids]

    def ids(*lists):
        return [each.id for each in divided(lists, 5)]

    assert ids() == []
    assert ids(found(1, 2, 3, 4, 5, 6)) == [1, 2, 3, 4, 5]
    assert ids(found(1, 2, 3), found(4, 5, 6, 7)) == [1, 2, 4, 5, 6]
    assert ids(found(1, 2, 3), found(2, 1, 3, 4, 5)) == [1, 2, 3, 4, 5]
    assert ids(found(1, 2), found(3, 4, 5), found(6, 7, 8)) == [1, 3, 4, 6, 7]
    assert ids(found(1), found()) == [1]


def test_multi_hop_demonstrations_show_at_each_hop_what_they_did_there():
    def script(prompt):
        asked = prompt.rsplit("Question: ", 1)[1]
        if prompt.startswith("Answer"):
            return [f" So.\n\nAnswer: {'Axsmith' if 'made Ax' in asked else 'Bo'}"]
        return [
            " Known.\n\nSearch Query: town" if "made Ax" in asked else " No.\n\nSearch Query: N/A"
        ]

    rows = [(1, "Axsmith lives here.", 1.0), (2, "text 2", 0.9), (3, "text 3", 0.8)]
    model = ScriptedModel(script)
    run = Run(model, TableRetriever({"town": rows, "Who made Ax?": rows}))
    found = multi_hop(run, LEADER.copy(train=TRAIN))
    assert [each.question for each in found.demos if each.augmented] == ["Who made Ax?"]
    assert [each.n for each in model.asked[-2:]] == [10, 20]
    first, last = model.prompts[-2:]
    assert (
        "Question: Who made Ax?\nRationale: Let's think step by step. Known.\nSearch Query: town"
        "\n\n---\n\nQuestion: Who leads"
    ) in first
    assert "Who made Box?" not in first
    assert (
        "Context:\n[1] «Known.»\n[2] «Known.»\n[3] «Axsmith lives here.»\n[4] «text 2»\n"
        "[5] «text 3»\n\nQuestion: Who made Ax?\n\nRationale: Let's think step by step. So."
        "\n\nAnswer: Axsmith\n\n---\n\nContext: N/A\n\nQuestion: Who leads"
    ) in last


TALK = [
    Example("How tall is it?", ("five storeys high",), (Turn("What is Ax?", "A tower."),)),
    Example("Who built it?", ("nobody at all",), (Turn("What is Box?", "A ship."),)),
    Example("And when?", (), (Turn("What is Cup?", "A cup."),)),
]


def talking(prompt):
    asked = prompt.rsplit("Question: ", 1)[1]
    if prompt.startswith("Rewrite"):
        return [" How tall is Ax?"] if "tall" in asked else [" something"]
    return [" a ship", " storeys high five"] if "tall" in asked else [" It is old."]


def test_a_conversation_goes_on_from_its_own_answers():
    passages = [(1, "Ax is five storeys high.", 1.0), (2, "text 2", 0.5)]
    model = ScriptedModel(talking)
    run = Run(model, TableRetriever({"How tall is Ax?": passages}))
    first, second = converse(run, ["What is Dot?", "How old is it?"], TALK)
    demonstrating = run.trace.steps[0]
    by_question = {
        each.children[0].prompt.rsplit("Question: ", 1)[1].split("\n")[0]: each.note
        for each in demonstrating.children
    }
    assert by_question == {
        "How tall is it?": "kept", "Who built it?": "search failed", "And when?": "search failed",
    }  # fmt: skip
    (demo,) = [each for each in first.demos if each.augmented]
    assert (demo.pred, demo.rewritten) == ("storeys high five", "How tall is Ax?")
    assert second.demos == first.demos
    assert first.pred == second.pred == "It is old."
    assert second.history == (Turn("What is Dot?", "It is old."),)
    rewriting = model.prompts[-2]
    assert rewriting.endswith(
        "History:\nUser: What is Dot?\nSystem: It is old.\nQuestion: How old is it?\nRewritten:"
    )
    assert model.asked[-2].n == 10
    assert model.asked[-1].greedy
    assert run.retriever.asked[-2:] == [("something", 15), ("What is Dot? How old is it?", 15)]
    answering = model.prompts[-1]
    assert "[2] «text 2»\n\nHistory:\nUser: What is Ax?\nSystem: A tower." in answering
    assert "Question: How tall is it?\n\nAnswer: five storeys high\n\n---\n\n" in answering


def test_an_answer_with_too_little_in_common_is_wrong():
    model = ScriptedModel(
        lambda prompt: [" How tall is Ax?"] if prompt.startswith("Rewrite") else [" five of them"]
    )
    passages = [(1, "Ax is five storeys high.", 1.0)]
    run = Run(model, TableRetriever({"How tall is Ax?": passages}))
    found = conversational(run, Example("What is Dot?", train=tuple(TALK[:1])))
    assert not any(each.augmented for each in found.demos)
    assert run.trace.steps[0].children[0].note == "answer wrong"


def test_self_ask_lets_passages_answer_its_questions():
    script = {
        OPENING: " Yes.\nFollow up: Where is Ax?\n",
        "Intermediate answer: Ax is in Bo.\n": "Follow up: Who leads Bo?",
        "Intermediate answer: unknown\n": "So the final answer is: Cy.\n\n",
    }
    model = ScriptedModel(script)
    run = Run(model, TableRetriever({"Where is Ax?": [(4, "Ax is\nin Bo.", 1.0)]}))
    found = self_ask(run, Example("Who leads\nthe town?"))
    assert (found.pred, [each.id for each in found.passages]) == ("Cy.", [4])
    assert model.prompts[2] == (
        f"{DEMONSTRATIONS}\n\nQuestion: Who leads the town?\nAre follow up questions needed here: "
        "Yes.\nFollow up: Where is Ax?\nIntermediate answer: Ax is in Bo.\n"
        "Follow up: Who leads Bo?\nIntermediate answer: unknown\n"
    )
    assert {each.stop for each in model.asked} == {("\nIntermediate answer:", "\nQuestion:")}
    assert [step.stage for step in run.trace.steps] == ["self_ask", "retrieve"] * 2 + ["self_ask"]


@pytest.mark.parametrize(
    ("first", "most", "prompt_ends"),
    [
        (" Yes.\nFollow up: Where is Ax?", 1, "Intermediate answer: unknown\n"),
        (" Yes.\nFollow up: Where is Ax?", 0, "needed here:\n"),
        (" No.", 4, "needed here: No.\n"),
        (" Yes.\nFollow up:\n", 4, "needed here: Yes.\nFollow up:\n"),
    ],
)
def test_self_ask_must_answer_in_the_end(first, most, prompt_ends):
    model = ScriptedModel(lambda prompt: [" Bo" if prompt.endswith(FINAL) else first])
    found = self_ask(Run(model, TableRetriever({})), Example("Who?"), most_questions=most)
    assert found.pred == "Bo"
    assert model.prompts[-1].endswith(prompt_ends + FINAL)


def test_self_ask_over_the_window_is_refused():
    run = Run(ScriptedModel({}, window=100), TableRetriever({}))
    with pytest.raises(InvalidInput, match="The prompt of self-ask has .* and 100 is the most"):
        self_ask(run, Example("Who?"))
