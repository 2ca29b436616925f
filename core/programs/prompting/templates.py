"""The templates of DSP's programs; their instructions are in our own words.

Those that the paper does not print are inferred from what it says about them.

Source: Khattab et al. 2022, Demonstrate-Search-Predict, sections 2 and 3.4, and its code.
"""

from .template import ProgramTemplate, TemplateField

QUESTION = TemplateField("question", "Question:", "the question to answer")
CONTEXT = TemplateField("context", "Context:", "passages that may hold the answer")
HISTORY = TemplateField("history", "History:", "the earlier turns of the conversation")
RATIONALE = TemplateField(
    "rationale",
    "Rationale: Let's think step by step.",
    "the steps that lead to the answer",
    generated=True,
)
ANSWER = TemplateField("answer", "Answer:", "a short fact, often 1 to 5 words", generated=True)
FULL_ANSWER = TemplateField("answer", "Answer:", "a full answer", generated=True)
QUERY = TemplateField(
    "query", "Search Query:", "one simple query for what is missing", generated=True
)

QA = ProgramTemplate("qa", "Answer each question with a short fact.", (QUESTION, ANSWER))
"""The question alone."""

QA_CONTEXT = ProgramTemplate(
    "qa_context",
    "Answer each question with a short fact from the documents.",
    (CONTEXT, QUESTION, ANSWER),
)
"""With passages, without a rationale; inferred."""

QA_COT = ProgramTemplate(
    "qa_cot",
    "Answer each question from documents of the web, with a short fact.",
    (CONTEXT, QUESTION, RATIONALE, ANSWER),
)
"""With passages and a chain of thought."""

REWRITE = ProgramTemplate(
    "rewrite",
    "Write a search query that helps to answer a complex question.",
    (QUESTION, RATIONALE, QUERY),
)
"""The first hop of multi-hop questions, before there is anything to summarise."""

HOP = ProgramTemplate(
    "hop",
    "Write one simple search query for what is still missing to answer a complex question. When "
    "the context has everything, write N/A.",
    (
        CONTEXT,
        QUESTION,
        TemplateField(
            "summary",
            "Summary: Let's summarize the above context.",
            "what the context says about the question",
            generated=True,
        ),
        QUERY,
    ),
)
"""Every further hop."""

CONV_REWRITE = ProgramTemplate(
    "conv_rewrite",
    "Rewrite the last question of a conversation so that it can be understood without the others.",
    (
        HISTORY,
        QUESTION,
        TemplateField(
            "rewritten", "Rewritten:", "the same question, self-contained", generated=True
        ),
    ),
)
"""The search of conversations; inferred."""

CONV = ProgramTemplate(
    "conv", "Answer the last question of a conversation.", (HISTORY, QUESTION, FULL_ANSWER)
)
"""The answer in a conversation without passages; inferred."""

CONV_QA = ProgramTemplate(
    "conv_qa",
    "Answer the last question of a conversation from documents of the web.",
    (CONTEXT, HISTORY, QUESTION, FULL_ANSWER),
)
"""The answer in a conversation; inferred."""

MCQ = ProgramTemplate(
    "mcq",
    "Answer each question with one of the choices.",
    (
        CONTEXT,
        QUESTION,
        TemplateField("choices", "Choices:", "possible answers, between semicolons"),
        TemplateField("answer", "Answer:", "the right choice", generated=True),
    ),
)
"""The choice among several predictions; inferred."""
