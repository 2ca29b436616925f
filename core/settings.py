"""Defaults of the paper, and the folders of data, models and workspace."""

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

K = 6
LAMBDA_D = 0.75
LAMBDA_B = 0.95
"""Defaults of RAGSys, section 4: six demonstrations; relevance 0.75 against diversity."""

N_CANDIDATES = 1_000
"""How many candidates are fetched from an index."""

PER_QUERY = 3
"""How many incorrect answers are suggested for a query that has none."""

THRESHOLD = 0.95
"""From which similarity on two texts are much the same, where a pool is checked."""

VRSD_CANDIDATES = 20
"""VRSD's paper gives none; with k 6 and 20 candidates its differences are reproduced best."""
PGRA_CANDIDATES, PGRA_EXEMPLARS = 150, 8
"""The k and m of PGRA's paper."""

LAMBDA_GRID = tuple(round(step / 20, 2) for step in range(21))
"""The 21 values of lambda_d at which curves are drawn; both ends are among them."""

PRACTICE = "practice"
"""The name of the bundled practice model, which is used where no other is chosen."""

SCRIPTED = "scripted"
"""The name of the scripted model, which follows a script for the bundled two-hop questions."""

DEFAULT_ENCODER = "all-MiniLM-L6-v2"
MULTILINGUAL = "use-multilingual-v3"
"""The bundled encoders' names: of English texts, and of texts in sixteen languages."""
DEFAULT_TEMPLATE = "qa"
SEED = 0


class Embed(StrEnum):
    """Which text of a demonstration is embedded and compared with the query."""

    QUERY = "query"
    """Its query, as in RAGSys."""
    QUERY_AND_ANSWER = "query+answer"
    """Its query and its answer, joined by a space, as in VRSD."""


class OnDifference(StrEnum):
    """What happens to a demonstration of the pool when a file has other values for it."""

    LEAVE = "leave"
    """It stays as it is."""
    ADD = "add"
    """It gets the incorrect answers and tags that it lacks, and a note where its own is empty."""
    REPLACE = "replace"
    """It gets the file's values in every field that differs."""


def data_folder() -> Path:
    """The folder of the bundled pools: `data/` of a checkout, `shotlist/data` when installed."""
    here = Path(__file__).resolve().parent
    installed = here / "data"
    return installed if installed.is_dir() else here.parent / "data"


def practice_model_folder() -> Path:
    """The folder of the bundled practice model."""
    return data_folder() / "practice-model"


def models_folder() -> Path:
    """Where models that were fetched are: SHOTLIST_MODELS, else the user's data folder."""
    from platformdirs import user_data_path

    given = os.environ.get("SHOTLIST_MODELS")
    return Path(given) if given else user_data_path("shotlist", appauthor=False) / "models"


def converted_folder() -> Path:
    """Where the folders are that were made of GGUF files; it can be deleted at any time."""
    return models_folder() / "converted"


def workspace_folder(given: str | os.PathLike[str] | None = None) -> Path:
    """The folder of the database: what was given, else SHOTLIST_WORKSPACE, else data/workspace."""
    return Path(given or os.environ.get("SHOTLIST_WORKSPACE") or data_folder() / "workspace")


def chosen_model(given: str | None = None) -> str:
    """The language model's name: what was given, else SHOTLIST_MODEL, else the practice model."""
    return given or os.environ.get("SHOTLIST_MODEL") or PRACTICE


@dataclass(frozen=True, slots=True)
class ProgramKnob:
    """A whole number that can be set of the programs that have it (`CatalogueEntry.knobs`).

    `label` says what it counts, `at_least` what its `least` value does, `usual` the paper's number
    and those of programs with another one. `flag` is its option of the command `run`.
    """

    label: str
    at_least: str
    usual: str
    flag: str
    least: int = 0


PROGRAM_KNOBS = {
    "shots": ProgramKnob("Training examples that each seed draws", "shows none", "16", "--shots"),
    "augmented": ProgramKnob(
        "Demonstrations with their steps, at most", "shows all raw", "3", "--annotate"
    ),
    "k": ProgramKnob(
        "Passages of a prompt", "shows none", "7, multi-hop 5, retrieve-then-read 1", "-k"
    ),
    "samples": ProgramKnob(
        "Answers that are voted on", "is the likeliest one", "20", "--samples", 1
    ),
    "max_hops": ProgramKnob("Hops of multi-hop", "searches for nothing", "2", "--hops"),
    "queries": ProgramKnob("Queries fused at each hop", "fuses nothing", "10", "--queries", 1),
}
"""What page, command and documents say of each knob of a program."""
