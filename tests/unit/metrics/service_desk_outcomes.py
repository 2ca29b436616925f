"""The outcomes of the service desk's 480 examples: a population to draw samples from.

Made anew, in some minutes, by

    python tests/unit/metrics/service_desk_outcomes.py FOLDER

with the practice model, the default encoder and the paper's knobs, in a workspace in that folder.
"""

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
FILE = Path(__file__).with_suffix(".npz")


def load():
    """One row per method or value of lambda_d, one column per example.

    Keys: `methods` and `lambda_ds` name the rows; `method_dpo` and `lambda_dpo` are the numerators
    of DPO (nats), `triples` (480,) their denominators; `method_mc1` and `lambda_mc1` 0 or 1;
    `method_share` is mc3_normalised; `method_diversity` NaN where undefined.
    """
    with np.load(FILE) as file:
        return {name: file[name] for name in file.files}


def make(folder):
    sys.path.insert(0, str(ROOT))
    from core.evaluation.plan.comparison_rows import rows_of_methods
    from core.metrics.registry import METRICS
    from core.retrieval.choosing import METHODS
    from core.retrieval.knobs import Knobs
    from core.studio.pools import pools
    from core.studio.runs import calibrate, compare
    from core.studio.session.studio import Setup, Studio
    from core.watcher import Watcher

    def columns(results, metric):
        scores = [[outcome.scores for outcome in result.outcomes] for result in results]
        return np.array([METRICS[metric].numerators(each) for each in scores])

    def report(line):
        sys.stderr.write(f"{line}\n")

    watcher = Watcher(
        on_progress=lambda done, total: None if done % 20 else report(f"{done} of {total}")
    )
    with Studio.open(Path(folder)) as studio:
        pools.load_bundled(studio)
        setup = Setup("service-desk", model="practice")
        names = tuple(name for name, method in METHODS.items() if not method.reads)
        request = compare.CompareRequest(setup=setup, rows=rows_of_methods(names, Knobs()))
        compared = compare.run(studio, request, watcher, report)
        curve = calibrate.run(studio, calibrate.CalibrateRequest(setup=setup), watcher, report)
    methods, cells = list(compared.methods.values()), curve.cells
    assert [e.query for e in compared.examples] == [e.query for e in curve.examples]
    scores = [outcome.scores for outcome in cells[0].outcomes]
    np.savez_compressed(
        FILE,
        methods=np.array(list(compared.methods)),
        lambda_ds=np.array([cell.lambda_d for cell in cells]),
        triples=METRICS["dpo_per_triple"].denominators(scores).astype(np.uint8),
        method_dpo=columns(methods, "dpo_per_triple").astype(np.float32),
        lambda_dpo=columns(cells, "dpo_per_triple").astype(np.float32),
        method_mc1=columns(methods, "mc1").astype(np.uint8),
        lambda_mc1=columns(cells, "mc1").astype(np.uint8),
        method_share=columns(methods, "mc3_normalised").astype(np.float32),
        method_diversity=np.array(
            [[outcome.scores.diversity for outcome in method.outcomes] for method in methods],
            np.float32,
        ),
    )


if __name__ == "__main__":
    make(sys.argv[1])
