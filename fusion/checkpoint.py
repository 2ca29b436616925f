"""The state of a training: weights, the optimiser and the checks so far, in one safetensors."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import InvalidInput
from core.writing import whole_file

if TYPE_CHECKING:
    from torch import Tensor

CHECKPOINT = "checkpoint.safetensors"


@dataclass(frozen=True, slots=True)
class Check:
    """The share of the validation episodes that were answered correctly after so many steps."""

    step: int
    accuracy: float


@dataclass(slots=True)
class Progress:
    """How far a training is; `checks` are in the order of their steps."""

    step: int = 0
    seconds: float = 0.0
    checks: list[Check] = field(default_factory=list)

    @property
    def best(self) -> Check | None:
        """The first of the checks with the highest accuracy; None before there was one."""
        return max(self.checks, key=lambda check: check.accuracy, default=None)

    @property
    def without_gain(self) -> int:
        """How many checks came after the best."""
        return 0 if self.best is None else len(self.checks) - 1 - self.checks.index(self.best)

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, read: dict[str, Any]) -> "Progress":
        """What `to_json` gave."""
        return cls(read["step"], read["seconds"], [Check(**each) for each in read["checks"]])


def save_checkpoint(
    folder: Path, network: Any, optimiser: Any, progress: Progress, belongs_to: Mapping[str, object]
) -> None:
    """Write the checkpoint whole or not at all.

    Args:
        folder: Gets `checkpoint.safetensors`.
        network: Its weights are kept; tied ones once.
        optimiser: Its state is kept, tensor by tensor.
        progress: How far the training is.
        belongs_to: What another training differs in.
    """
    from safetensors.torch import save_file

    tensors = {f"network.{name}": value.data for name, value in network.named_parameters()}
    for number, state in optimiser.state_dict()["state"].items():
        tensors |= {f"optimiser.{number}.{key}": value for key, value in state.items()}
    about = {"progress": progress.to_json(), "belongs_to": dict(belongs_to)}
    with whole_file(folder / CHECKPOINT) as place:
        save_file(
            {name: value.detach().cpu().contiguous() for name, value in tensors.items()},
            place,
            metadata={"training": json.dumps(about)},
        )


def restore_checkpoint(
    folder: Path, network: Any, optimiser: Any, belongs_to: Mapping[str, object]
) -> Progress:
    """Put weights and the optimiser's state back as they were; a new training begins at step 0.

    Raises:
        InvalidInput: The checkpoint is damaged, or that of another training.
    """
    import torch
    from safetensors import SafetensorError, safe_open

    path = folder / CHECKPOINT
    if not path.is_file():
        return Progress()
    try:
        with safe_open(path, framework="pt") as file:
            about = json.loads(file.metadata()["training"])
            # The file is no mapping: only its keys can be gone through.
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        progress, other = Progress.from_json(about["progress"]), about["belongs_to"]
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(
            f"The checkpoint {str(path)!r} is damaged; remove it to start over, or choose another "
            "folder."
        ) from error
    if other != dict(belongs_to):
        differs = sorted(key for key in belongs_to if other.get(key) != belongs_to[key])
        raise InvalidInput(
            f"The folder {str(folder)!r} contains a training with another {differs[0]}; go on with "
            "what it began with, or choose another folder."
        )
    with torch.no_grad():
        for name, value in network.named_parameters():
            value.copy_(tensors[f"network.{name}"])
    state: dict[int, dict[str, Tensor]] = {}
    for name, value in tensors.items():
        kind, _, rest = name.partition(".")
        if kind == "optimiser":
            number, _, key = rest.partition(".")
            state.setdefault(int(number), {})[key] = value
    optimiser.load_state_dict(optimiser.state_dict() | {"state": state})
    return progress
