"""Times as the visitor's clock shows them: the store keeps UTC, the browser knows its zone."""

from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st


def local(moment: datetime) -> datetime:
    """The moment in the browser's zone, or in the server's where the browser names none."""
    return moment.astimezone(_zone())


def zone_in_words() -> str:
    """Whose time is shown."""
    return "Times are in your time zone." if _zone() else "Times are in the server's time zone."


def _zone() -> tzinfo | None:
    try:
        return ZoneInfo(st.context.timezone or "")
    except (ValueError, ZoneInfoNotFoundError):
        return None
