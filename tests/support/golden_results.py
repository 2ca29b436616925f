"""Results of every kind over pools and models that are the same everywhere, with what is said.

`python -m tests.support.golden_results` writes them to `tests/recorded/results_*.json`;
`tests/test_golden_results.py` makes them again and compares. A change of the code that is meant to
change nothing leaves the files alone; one that is meant to change a figure, a key or a sentence
writes them anew.
"""

import json
import tempfile
from dataclasses import asdict, replace
from pathlib import Path

from core.demonstration.demonstration import Draft, incorrect_answers
from core.engines import LocalEngine
from core.evaluation.plan.examples import examples_of
from core.evaluation.results.calibration import Calibration
from core.evaluation.results.comparison import Comparison
from core.evaluation.results.suitability import suitability_of
from core.evaluation.runs.calibrate import CalibrationOptions, calibrate
from core.evaluation.scoring.quality_bias import score_quality
from core.language_model import TEMPLATES
from core.metrics.registry import metrics_of
from core.reporting.figures.curves import dpo_by_diversity, lambda_curve
from core.reporting.figures.grids import dpo_by_k, lambda_heat_map
from core.reporting.figures.methods import method_differences, method_dots
from core.reporting.tables.comparison import orders_table, ranks_table, sums_figures, wins_figures
from core.reporting.tables.runs import calibration_figures
from core.reporting.words.reading import read_calibration, read_comparison
from core.reporting.words.start_page import suitability_line
from core.retrieval.knobs import Knobs
from core.retrieval.pool_view import QualityKey, load_pool_view, with_quality
from core.store import Store
from core.studio import Studio
from core.watcher import Watcher
from practice.confirmation import confirm
from studies.pgra.settings import PgraRequest, Variant
from studies.pgra.study import pgra
from studies.ragsys import RagsysStudy
from studies.vrsd.study import VrsdRequest, vrsd
from tests.support.hashing_encoder import HashingEncoder
from tests.support.planted_language_model import PlantedLanguageModel
from tests.unit.evaluation.fake_language_model import FakeLanguageModel
from tests.unit.evaluation.moods import Planted, evaluated, mood_pool

RECORDED = Path(__file__).resolve().parents[1] / "recorded"
TEMPLATE = TEMPLATES["qa"]
THINGS = ("door", "phone", "printer", "lamp", "window")
SIGNS = ("red", "warm", "old", "loud", "wet", "far", "new", "dull", "high", "thin", "odd")
READ = ("dpo_per_triple", "mc1", "diversity", "label_consistency")
LABELS = ["glad" if number % 3 else "sad" for number in range(60)]


def things():
    """55 queries, two answers to every fifth of them, wrong answers of two kinds to most."""
    rows = []
    for at, (sign, thing) in enumerate((sign, thing) for sign in SIGNS for thing in THINGS):
        wrong = incorrect_answers(
            (f"Paint the {thing}", f"Never, it is {sign}", f"Sell it {at}")[: at % 4],
            ("costly", "rude", "")[: at % 4],
        )
        query = f"How do I mend the {sign} {thing}?"
        answers = [f"Open the {thing}", f"Ask {at} times"][: 2 if at % 5 == 0 else 1]
        rows += [Draft(query, answer, wrong) for answer in answers]
    return rows


def filled(folder, drafts):
    """A store with the pool `things`, embedded and with its quality scored."""
    store, encoder, model = Store.open(folder), HashingEncoder(), FakeLanguageModel()
    pool = store.pools.create("things")
    store.demonstrations.add(pool.id, drafts)
    engine = LocalEngine(store, model, TEMPLATE)
    score_quality(store, pool.id, engine)
    key = QualityKey(model.fingerprint, TEMPLATE.fingerprint)
    view = with_quality(store, load_pool_view(store, "things", encoder), key)
    examples = examples_of(store.demonstrations.all(pool.id))
    return store, view, engine, examples, encoder


def two_models(folder):
    """A comparison over two models on a pool of labels: rows by every kind of method."""
    with Store.open(folder) as store:
        mood_pool(store, 60)
        requests = {
            "none": Knobs("none", 4),
            "rel": Knobs("rel", 4),
            "wide": Knobs(k=4, lambda_d=0.2, lambda_b=1.0),
            "bm25": Knobs("bm25", 4),
            "pgra": Knobs("pgra", 4, own_values=(("exemplars", 0),)),
        }
        given = {"references": ("rel", "none"), "limit": 45}
        first = evaluated(store, requests, Planted(blind=True), **given)
        return evaluated(store, requests, Planted(), **given, earlier=(first,)).summary()


def calibrated(folder, **options):
    """A calibration over lambda_d, lambda_b and k."""
    store, view, engine, examples, encoder = filled(folder, things())
    with store:
        chosen = {"lambda_bs": (0.95, 1.0), "ks": (3, 1), "lambda_ds": (0.25, 0.5, 0.75)} | options
        return calibrate(
            store, view, engine, examples, encoder, options=CalibrationOptions(**chosen)
        )


def title(figure):
    return figure.layout.title.text


def table(found):
    return [list(found.names), *map(list, found.rows)]


def said_of_comparison(found):
    return {
        "readings": {name: asdict(read_comparison(found, name)) for name in READ},
        "titles": {
            name: [title(draw(found, name)) for draw in (method_dots, method_differences)]
            for name in metrics_of(generated=False)
        },
        "tables": [
            table(each)
            for each in (
                *(wins_figures(found, name) for name in ("dpo_per_triple", "cos_sum")),
                sums_figures(found),
                orders_table(found),
                ranks_table(found),
            )
        ],
    }


def said_of_calibration(found):
    drawn = (lambda_curve, dpo_by_diversity, lambda_heat_map, dpo_by_k)
    return {
        "reading": asdict(read_calibration(found)),
        "titles": [title(draw(found)) for draw in drawn],
        "table": table(calibration_figures(found)),
    }


def comparison(folder):
    found = two_models(folder)
    return {"result": found.to_json(), **said_of_comparison(found)}


def calibration(folder):
    planned, settled = calibrated(folder / "a"), calibrated(folder / "b", until_settled=True)
    return {
        "result": planned.summary().to_json(),
        **said_of_calibration(planned.summary()),
        "settled": said_of_calibration(settled.summary()),
        "confirmed": confirm(calibrated(folder / "c", lambda_bs=(1.0,), ks=(3,))).to_json(),
    }


def studies(folder):
    model = PlantedLanguageModel(LABELS)
    with Studio.open(
        folder / "studio",
        load_encoder=lambda name: HashingEncoder(),
        load_model=lambda name: model,
    ) as studio:
        for name, drafts in (
            ("things", things()),
            ("moods", [Draft(f"item {at}", label) for at, label in enumerate(LABELS)]),
        ):
            studio.store.demonstrations.add(studio.store.pools.create(name).id, drafts)
        of_vrsd = vrsd(studio, VrsdRequest("things", k=3, share=0.4, seeds=2), Watcher())
        small = Variant(None, candidates=30, kept=4, exemplars=5)
        of_pgra = pgra(studio, PgraRequest("moods", small, share=0.4, seeds=2), Watcher())
    of_ragsys = RagsysStudy(two_models(folder / "store"))
    return {
        name: {"result": each.to_json(), "notes": list(each.notes)}
        for name, each in {"vrsd": of_vrsd, "pgra": of_pgra, "ragsys": of_ragsys}.items()
    }


def suitability(folder):
    found = {}
    for name, drafts in (
        ("things", things()),
        ("one", things()[:1]),
        ("twice", [replace(each, answer=f"{each.answer} {at}")
                   for at in range(3) for each in things()]),
    ):  # fmt: skip
        store, view, _, examples, _ = filled(folder / name, drafts)
        with store:
            each = suitability_of(view, sum(bool(example.incorrect) for example in examples))
        found[name] = asdict(each) | {
            "criteria": [each.size, each.incorrect, each.redundancy],
            "line": suitability_line(each),
        }
    return found


MADE = {
    "comparison": comparison,
    "calibration": calibration,
    "studies": studies,
    "suitability": suitability,
}
OPENS = {"comparison": Comparison, "calibration": Calibration}


def file_of(name):
    return RECORDED / f"results_{name}.json"


def main():
    for name, make in MADE.items():
        with tempfile.TemporaryDirectory() as folder:
            text = json.dumps(make(Path(folder)), allow_nan=False)
        file_of(name).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
