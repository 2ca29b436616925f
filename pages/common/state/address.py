"""The address of the open page: the view is written into it; what of it is ignored is noted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import streamlit as st

from core.text import lambda_text, listed, short

LINK_VERSION = "1"
UNUSED = "not used here"
EMPTY = "empty"
LONGEST = 40
"""Letters of a value that the line about what is ignored repeats."""
Link: TypeAlias = Mapping[str, str | float | None]
"""Values of a view for its address, by name; None and the empty text are left out."""


@dataclass
class Address:
    """What became of the address since the page was opened.

    Attributes:
        title: The page's.
        read: Owner, name and text of what was read.
        written: Name and text of what the page itself has put into its address. A browser that
            answers at once may still send what was there before the last run.
        ignored: Why a parameter has no effect, by the parameter.
        drawn: How many of these the page says.
    """

    title: str = ""
    read: set[tuple[str, str, str]] = field(default_factory=set)
    written: set[tuple[str, str]] = field(default_factory=set)
    ignored: dict[str, str] = field(default_factory=dict)
    drawn: int = 0


def address() -> Address:
    """The address of the page that is open."""
    found: Address = st.session_state.setdefault("address", Address())
    return found


def open_address(title: str) -> None:
    """Begin anew where this is another page than that of the last run."""
    if address().title != title:
        st.session_state["address"] = Address(title)


def linked(owner: str, name: str) -> str | None:
    """The parameter's text, once for each owner; None where there is nothing new to read."""
    here, text = address(), st.query_params.get(name)
    if text is None or (name, text) in here.written or (owner, name, text) in here.read:
        return None
    here.read.add((owner, name, text))
    return text


def is_asked(name: str) -> bool:
    """Whether a link that the page has not written itself gives the parameter."""
    text = st.query_params.get(name)
    return text is not None and (name, text) not in address().written


def ignore(name: str, text: str, why: str) -> None:
    """Note that a parameter has no effect, and why."""
    address().ignored[f"{name}={short(text, LONGEST)}"] = why


def ignored_line() -> str:
    """What is ignored, in one line; empty where nothing is."""
    here = address()
    here.drawn = len(here.ignored)
    by_reason: dict[str, list[str]] = {}
    for parameter, why in here.ignored.items():
        by_reason.setdefault(why, []).append(parameter)
    parts = [f"{listed(parameters)} ({why})" for why, parameters in by_reason.items()]
    return f"Ignored in this link: {'; '.join(parts)}." if parts else ""


def is_line_old() -> bool:
    """Whether something is ignored that the page does not say yet."""
    return len(address().ignored) > address().drawn


def ignore_unread() -> None:
    """Note the parameters that nothing on the page looks for; once all of it has been drawn."""
    here = address()
    known = here.written | {(name, text) for _, name, text in here.read}
    for name, text in st.query_params.items():
        if name == "v":
            if text != LINK_VERSION:
                ignore(name, text, f"must be {LINK_VERSION}")
        elif (name, text) not in known:
            ignore(name, text, UNUSED)


def write_link(**values: str | float | None) -> None:
    """Put the view into the address, so that the link opens it again in another window."""
    ignore_unread()
    wanted = {"v": LINK_VERSION}
    for name, value in values.items():
        if value is not None and value != "":
            wanted[name] = lambda_text(value) if isinstance(value, float) else str(value)
    address().written |= wanted.items()
    if dict(st.query_params.items()) != wanted:
        st.query_params.from_dict(wanted)
