"""Which queue of demonstrations is read on Review, one after the other; any page can begin one."""

from pages.common.state.state import remember, remembered

_NAME = "queue"


def queue_to_read() -> int | None:
    """The id of the queue of the link, else that of before; None for none."""
    return int(remembered(_NAME, 0, int)) or None


def read_queue(id: int | None) -> None:
    """Read this queue from the next run of Review on; None: show the findings again."""
    remember(_NAME, id or 0)
