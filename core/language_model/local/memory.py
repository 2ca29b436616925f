"""Batches that shrink when memory runs out, so that the work goes on."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from ...watcher import NOBODY, Watcher

STOPPED = "The work of the language model was stopped."

Batch = TypeVar("Batch")
Found = TypeVar("Found")


def within_memory(
    batches: Sequence[Batch],
    read: Callable[[Batch], Found],
    smaller: Callable[[Batch], list[Batch]],
    *,
    device: str,
    watcher: Watcher = NOBODY,
) -> Iterator[tuple[Batch, Found]]:
    """Every batch with what was read of it, in their order.

    Args:
        batches: The largest first, so that memory, if it is short, is short at once.
        read: Runs the model over a batch.
        smaller: Gives what replaces a batch for which memory did not suffice; raises where a
            batch cannot be divided any more.
        device: Where the model runs; on `cuda`, what a failure left reserved is given back.
        watcher: Asked before every batch.

    Raises:
        Cancelled: The watcher asked to stop.
    """
    waiting = list(batches)[::-1]
    while waiting:
        watcher.checkpoint(STOPPED)
        batch = waiting.pop()
        try:
            found = read(batch)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            waiting += smaller(batch)[::-1]
        else:
            yield batch, found
            continue
        # Only here: while the error is handled, it keeps the tensors of the pass that failed.
        if device == "cuda":
            import torch

            torch.cuda.empty_cache()


def is_out_of_memory(error: BaseException) -> bool:
    """Whether the error says that memory ran out, in the words of CUDA, MPS or the CPU."""
    import torch

    words = ("out of memory", "can't allocate memory", "not enough memory")
    return isinstance(error, (torch.OutOfMemoryError, MemoryError)) or any(
        word in str(error).lower() for word in words
    )
