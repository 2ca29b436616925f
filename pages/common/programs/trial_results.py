"""What programs answered: the scores side by side, the differences, and each answer's trace."""

import streamlit as st

from core.programs.trial import Answer
from core.programs.trial.records import MEASURES
from core.reporting.figures.methods import program_dots
from core.reporting.tables.programs import (
    answers_table,
    differences_table,
    scores_table,
    seeds_table,
    so_far_table,
)
from core.reporting.tables.runs import text_table
from core.reporting.words.programs import MEANINGS, headline
from core.studio.programs.prompts import evidence
from core.studio.programs.trial_records import TrialReport, TrialSoFar
from core.text import short
from pages.common.frame.look import draw_figure
from pages.common.frame.text import plain
from pages.common.programs.trace import draw_trace
from pages.common.programs.widgets import PAGE
from pages.common.state.segments import choose_segment

ALL, WRONG, APART = "all", "wrong", "apart"
SHOWN = 120
"""Letters of a question in the list, at most."""


def draw_report(report: TrialReport) -> None:
    """Scores with their intervals, differences in pairs, and what to mind."""
    trial = report.trial
    for note in report.notes:
        st.warning(plain(note), icon=":material/warning:")
    if not trial.judged:
        return
    with st.container(border=True):
        st.markdown(f"##### {plain(headline(trial))}")
    if len(trial.answers) > 1 and len(trial.rows) > 1:
        measures = {name: name for name in MEASURES}
        measure = choose_segment(PAGE, "measure", "Measure", measures, MEASURES[0], labelled=False)
        draw_figure(program_dots(trial, measure), f"{PAGE}_dots_chart")
        st.caption(plain(f"{measure}: {MEANINGS[measure]}; 95 % intervals over the questions."))
    st.html(text_table(scores_table(trial)))
    if trial.differences:
        st.html(text_table(differences_table(trial)))
        st.caption("With 95 % all differences of a measure are within their intervals.")
    if len(trial.rows[0].by_seed) > 1:
        st.html(text_table(seeds_table(trial)))
        st.caption("How much the training examples matter that each seed draws.")


def draw_so_far(found: TrialSoFar) -> None:
    """How many each program has right so far."""
    if found.answers:
        st.html(text_table(so_far_table(found.answers)))


def draw_answers(found: TrialSoFar) -> None:
    """A question to choose, what every program answered, and how one of them got there."""
    answers = found.answers
    if not answers:
        return
    st.subheader("Answers, step by step")
    run = found.settings.basis.run
    by_question = _filtered(answers, run)
    if not by_question:
        st.caption("No question is like that.")
        return
    questions = list(by_question)
    key = f"{PAGE}_asked_{run}"
    if st.session_state.get(key) not in questions:
        st.session_state[key] = questions[0]
    question = questions[0]
    if len(questions) > 1:
        question = st.selectbox(
            f"Question (of {len(questions):,})",
            questions,
            format_func=lambda text: plain(short(text, SHOWN)),
            key=key,
        )
    own = by_question[question]
    if own[0].answers:
        st.markdown(f"Accepted: {plain(' / '.join(own[0].answers[:3]))}")
    st.html(text_table(answers_table(own)))
    rows = {each.row: each for each in own}
    name = next(iter(rows))
    if len(rows) > 1:
        name = st.selectbox("Steps of", list(rows), key=f"{PAGE}_row_{run}") or name
    answer = rows[name]
    if answer.error:
        st.warning(plain(answer.error), icon=":material/error:")
    draw_trace(answer.steps, evidence(answer.steps), f"{run}_{name}_{answer.question}")
    _draw_made(found, answer)


def _filtered(answers: tuple[Answer, ...], run: int) -> dict[str, list[Answer]]:
    """The answers by question: all, those where some program is wrong, or where they differ."""
    found: dict[str, list[Answer]] = {}
    for each in answers:
        found.setdefault(each.question, []).append(each)
    if len(found) < 2:
        return found
    kinds = {
        ALL: found,
        WRONG: {text: own for text, own in found.items() if not all(a.correct for a in own)},
        APART: {text: own for text, own in found.items() if len({a.correct for a in own}) > 1},
    }
    labels = {ALL: "all", WRONG: "some wrong", APART: "some right, some wrong"}
    chosen = st.segmented_control(
        "Show",
        list(kinds),
        default=ALL,
        format_func=lambda name: f"{labels[name]} {len(kinds[name]):,}",
        required=True,
        key=f"{PAGE}_show_{run}",
        label_visibility="collapsed",
    )
    return kinds[chosen or ALL]


def _draw_made(found: TrialSoFar, answer: Answer) -> None:
    """How the demonstrations in the answer's prompts were made, where its program makes any."""
    made = found.demonstrations_of(answer)
    if made is None or not made.annotated.attempts:
        return
    attempts, kept = made.annotated.attempts, len(made.annotated.augmented)
    with st.expander(f"Its demonstrations: {kept:,} of {len(attempts):,} training examples worked"):
        key = f"{found.settings.basis.run}_{answer.row}_{answer.seed}"
        chosen = st.selectbox(
            "Training example",
            range(len(attempts)),
            format_func=lambda at: plain(
                f"{short(attempts[at].example.question, SHOWN)} ({attempts[at].reason or 'kept'})"
            ),
            key=f"{PAGE}_made_{key}",
        )
        step = attempts[chosen].step
        draw_trace((step,), evidence((step,)), f"{key}_{chosen}")
