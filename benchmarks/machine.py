"""What this machine can do at most: the rate of matrix products, the bandwidth of reading.

    python benchmarks/machine.py

Every other figure is to be read beside these: on a busy machine they sink together.
"""

import time
from collections.abc import Callable
from pathlib import Path
from sys import path as import_path

import torch

import_path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.figures import quartiles, record

SHAPE = (1024, 768, 3072)
"""Rows, inputs and outputs of a product such as a layer of GPT-2 small has."""

READ = 1 << 28
"""Bytes that are read at a time, far more than any cache holds."""

Clock = Callable[[], float]


class Product:
    """A float32 matrix product of the shape above, to be timed between other work."""

    def __init__(self) -> None:
        rows, inputs, outputs = SHAPE
        self._factors = torch.randn(rows, inputs), torch.randn(inputs, outputs)
        self._result = torch.empty(rows, outputs)

    def rate(self, clock: Clock, times: int = 5) -> float:
        """GFLOP a second of this clock, over so many products."""
        torch.mm(*self._factors, out=self._result)
        started = clock()
        for _ in range(times):
            torch.mm(*self._factors, out=self._result)
        return 2e-9 * times * SHAPE[0] * SHAPE[1] * SHAPE[2] / (clock() - started)


def read_rate(memory: torch.Tensor) -> float:
    """GB a second at which the memory is read once, by the wall clock."""
    started = time.perf_counter()
    memory.max()
    return 1e-9 * memory.nbytes / (time.perf_counter() - started)


def main() -> None:
    product, memory = Product(), torch.zeros(READ // 4)
    memory.max()
    every = torch.get_num_threads()
    for threads in dict.fromkeys((1, every)):
        torch.set_num_threads(threads)
        gemm = quartiles([product.rate(time.perf_counter) for _ in range(9)])
        read = quartiles([read_rate(memory) for _ in range(9)])
        print(
            f"  {threads} thread{'s' * (threads > 1)}:"
            f"  {gemm.median:.0f} GFLOP/s ({gemm.low:.0f} to {gemm.high:.0f})"
            f"  {read.median:.1f} GB/s read ({read.low:.1f} to {read.high:.1f})"
        )
        record("machine", threads=threads, gemm_gflops=gemm, read_gb=read)


if __name__ == "__main__":
    main()
