"""The locks hold what the requirements ask for, and nothing that only some machines have."""

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
NAMES = ("requirements", "requirements-dev")
# pip chooses these by itself: torch has another build, and other packages under it, on a GPU.
OF_THE_MACHINE = re.compile(r"torch|triton|nvidia-.*|cuda-.*")


def requirements(name):
    for line in (ROOT / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("-r "):
            yield from requirements(line.removeprefix("-r ").removesuffix(".txt"))
        elif line and not line.startswith("#"):
            yield Requirement(line)


def lock(name):
    return (ROOT / f"{name}.lock").read_text(encoding="utf-8")


def locked(name):
    pins = re.findall(r"^([\w.-]+)==([\w.!+]+)", lock(name), re.MULTILINE)
    return {canonicalize_name(package): version for package, version in pins}


@pytest.mark.parametrize("name", NAMES)
def test_every_requirement_is_met_by_its_lock(name):
    versions = locked(name)
    unmet = [
        f"{requirement}: {versions.get(canonicalize_name(requirement.name), 'missing')}"
        for requirement in requirements(name)
        if not OF_THE_MACHINE.fullmatch(requirement.name)
        and not requirement.specifier.contains(
            versions.get(canonicalize_name(requirement.name), ""), prereleases=True
        )
    ]
    assert not unmet, "run make lock"


def test_developing_and_using_the_studio_take_the_same_versions():
    assert locked("requirements").items() <= locked("requirements-dev").items()


@pytest.mark.parametrize("name", NAMES)
def test_torch_and_what_only_a_gpu_needs_are_left_to_pip(name):
    assert [package for package in locked(name) if OF_THE_MACHINE.fullmatch(package)] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_lock_is_pins_with_hashes_and_says_nothing_of_where_they_came_from(name):
    code = [line for line in lock(name).splitlines() if not line.lstrip().startswith("#")]
    pin = re.compile(r"[a-z0-9-]+==[\w.!]+ \\|    --hash=sha256:[0-9a-f]{64}( \\)?")
    assert [line for line in code if not pin.fullmatch(line)] == []
    for above, line in zip(code, [*code[1:], ""], strict=True):
        assert above.endswith("\\") == line.startswith("    --hash=")
    assert "://" not in lock(name)
