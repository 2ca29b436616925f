"""The packages of the wheel: the folder core, with all below it, is installed as shotlist."""

from setuptools import find_packages, setup

FOUND = find_packages(include=["core", "core.*"])

setup(packages=["shotlist.data", *("shotlist" + name.removeprefix("core") for name in FOUND)])
