"""Shotlist: choosing the demonstrations that a language model is shown.

The names below are the front door of the library: `from core import mmr` in a checkout, and
`from shotlist import mmr` where the package is installed. Each is imported when it is first used,
so that importing the package alone loads nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .curation.importing import import_file
    from .embedding.loading import load_encoder
    from .library import calibrate, evaluate, load_pool_view
    from .metrics.registry import METRICS
    from .retrieval.choosing import METHODS, choose_context
    from .retrieval.knobs import Knobs
    from .selection.mmr import mmr
    from .selection.mmr_path import mmr_path
    from .selection.mmr_triangle import mmr_triangle
    from .selection.vrsd import vrsd
    from .store.store import Store

__all__ = [
    "METHODS", "METRICS", "Knobs", "Store", "calibrate", "choose_context", "evaluate",
    "import_file", "load_encoder", "load_pool_view", "mmr", "mmr_path", "mmr_triangle", "vrsd",
]  # fmt: skip

if not TYPE_CHECKING:  # a type checker reads the imports above, and knows no other name
    _MODULES = {
        "METHODS": "retrieval.choosing",
        "METRICS": "metrics.registry",
        "Knobs": "retrieval.knobs",
        "Store": "store.store",
        "calibrate": "library",
        "choose_context": "retrieval.choosing",
        "evaluate": "library",
        "import_file": "curation.importing",
        "load_encoder": "embedding.loading",
        "load_pool_view": "library",
        "mmr": "selection.mmr",
        "mmr_path": "selection.mmr_path",
        "mmr_triangle": "selection.mmr_triangle",
        "vrsd": "selection.vrsd",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f".{_MODULES[name]}", __name__), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
