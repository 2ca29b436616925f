"""A setting that is taken along chooses elsewhere what it chooses in the studio."""

import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.evaluation.scoring.quality_bias import score_quality
from core.retrieval.knobs import BiasScale, Knobs
from core.settings import PRACTICE, Embed
from core.studio import Setup, Studio
from core.studio.explore.exploration import ExploreRequest, explore, resolve
from core.studio.pools.pools import ImportRequest, run_import
from pages.common.runs.take_away import TakeAway

ROOT = Path(__file__).resolve().parents[2]
QUERY = "send 50 dollars to Ines, 'on Friday'"
SETTINGS = (
    Knobs("rel", k=3),
    Knobs("rel+div", k=3, lambda_d=0.6),
    Knobs("rel+div+bias", k=4, lambda_d=0.6, lambda_b=0.9),
    Knobs("vrsd", k=3, embed=Embed.QUERY_AND_ANSWER),
    Knobs("rel+bias", k=3, lambda_b=0.5, bias_scale=BiasScale.Z_SCORE, one_per_query=True),
    Knobs("dpp", k=3, candidates=20),
    Knobs("none"),
)


@pytest.fixture(scope="module")
def chosen(tmp_path_factory, load_encoder_once, load_once):
    """A workspace, and of each setting what the studio chooses there."""
    folder = tmp_path_factory.mktemp("taken") / "work space"
    lines = (ROOT / "data" / "service-desk-curated.jsonl").read_text(encoding="utf-8").splitlines()
    file = folder.parent / "desk.jsonl"
    file.write_text("\n".join(lines[:60]), encoding="utf-8")
    picks = {}
    with Studio.open(folder, load_encoder=load_encoder_once, load_model=load_once) as studio:
        run_import(studio, ImportRequest(file, "the desk's"))
        setup = Setup("the desk's", model=PRACTICE)
        pool = studio.store.pools.get(setup.pool)
        score_quality(studio.store, pool.id, studio.engine(setup))
        for knobs in SETTINGS:
            found = explore(resolve(studio, ExploreRequest(setup, QUERY, knobs)))
            picks[knobs] = [(each.id, f"{each.query} -> {each.answer}") for each in found.picks]
    return SimpleNamespace(workspace=folder, picks=picks)


def taken(chosen, knobs):
    settings = SimpleNamespace(
        pool="the desk's", encoder_name="all-MiniLM-L6-v2", template="qa", model=PRACTICE
    )
    return TakeAway(knobs, settings, PRACTICE, chosen.workspace, QUERY)


def test_the_code_chooses_the_same_in_a_fresh_interpreter(chosen):
    """One interpreter for all: each setting's code is whole, and closes what it opened."""
    marked = [f"print('#')\n{taken(chosen, knobs).python()}\nstore.close()" for knobs in SETTINGS]
    assert all(len(taken(chosen, knobs).python().splitlines()) == 5 for knobs in SETTINGS)
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(marked)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found = [each.splitlines()[1:] for each in done.stdout.split("#")[1:]]
    wanted = [[line for _, line in picks] for picks in chosen.picks.values()]
    assert [[line for line in each if line] for each in found] == wanted


@pytest.mark.parametrize("knobs", SETTINGS, ids=lambda each: each.method)
def test_the_command_line_chooses_the_same(chosen, knobs, run):
    words = shlex.split(taken(chosen, knobs).command())
    assert words[:3] == ["python", "-m", "core"]
    found = run(*words[3:])
    ids = [each["id"] for each in found["demonstrations"]]
    assert ids == [number for number, _ in chosen.picks[knobs]]
