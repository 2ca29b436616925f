"""Import: what programs left in the texts, and the choice to take it away."""

from dataclasses import replace

import streamlit as st

from core.curation import ImportPreview, Mapping


def choose_leftovers(found: ImportPreview, suffix: str) -> Mapping | None:
    """The mapping that takes away what is chosen; nothing is drawn where nothing was left."""
    mapping = found.mapping
    left = found.report.leftovers if found.report else None
    if mapping is None or left is None:
        return mapping
    if left.empty:
        words = st.multiselect(
            "Words that stand for an empty cell",
            list(left.empty),
            format_func=lambda word: f"{word} ({left.empty[word]:,})",
            key=f"import_empty_{suffix}",
            placeholder="None of them: each is a text",
            persist_state="session",
            help="Queries, answers and incorrect answers that are just such a word are left out.",
        )
        mapping = replace(mapping, empty=tuple(words))
    if left.spaced or left.query_end or left.answer_end:
        strip = st.checkbox(
            "Take away the white space around texts, and the marks in which all of them end",
            key=f"import_strip_{suffix}",
            persist_state="session",
            help="Prompts put a space in front of an answer themselves.",
        )
        mapping = replace(mapping, strip=strip)
    return mapping
