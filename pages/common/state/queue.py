"""Which queue of demonstrations is read on Review, one after the other; any page can begin one."""

from collections.abc import Callable

from pages.common.state.state import remember, remembered

_PAGE, _NAME = "review", "queue"


def queue_to_read(read: Callable[[str], int]) -> int | None:
    """The id of the queue of the link, as `read` reads it, else that of before; None for none."""
    return int(remembered(_PAGE, _NAME, 0, read)) or None


def read_queue(id: int | None) -> None:
    """Read this queue from the next run of Review on; None: show the findings again."""
    remember(_PAGE, _NAME, id or 0)
