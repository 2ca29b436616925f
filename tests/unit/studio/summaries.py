"""Summaries by hand, shaped as `Calibration.summary()` and `Evaluation.summary()` make them."""

SETTINGS = {
    "pool": "beliefs",
    "pool_version": 3,
    "encoder": "e" * 32,
    "encoder_name": "all-MiniLM-L6-v2",
    "model": "/models/tiny",
    "model_fingerprint": "f" * 32,
    "device": "cpu",
    "dtype": "float32",
    "template": "qa",
    "template_fingerprint": "a" * 32,
    "order": "most relevant last",
    "examples_from": "beliefs",
    "examples": 40,
    "limit": 40,
    "seed": 0,
    "leave_out": "same normalised query",
}


def figures(examples=40, **changes):
    return {
        "examples": examples,
        "without_incorrect": 0,
        "skipped": 0,
        "total": examples,
        "end": None,
        "distinct_sets": 7,
        "model": SETTINGS["model"],
        "language_model_calls": 123,
        "run": 5,
        "settings": SETTINGS,
    } | changes


def interval(mean, half):
    """An interval's row; `half` None is one that is undefined."""
    ends = (None, None) if mean is None or half is None else (mean - half, mean + half)
    return {"mean": mean, "low": ends[0], "high": ends[1], "n": 40}


def cell(lambda_d, dpo, behind=0.0, clear=False, k=6, lambda_b=0.95, diversity=None, half=0.05):
    """A cell; `clear` makes the paired interval of its lag leave zero out."""
    value = interval(dpo, half)
    spread = (behind or 0.0) / 2 if clear else 1.0
    if diversity is None and dpo is not None and k > 1:
        diversity = 0.1 + 0.4 * lambda_d
    return {
        "k": k,
        "lambda_b": lambda_b,
        "lambda_d": lambda_d,
        "dpo_per_triple": dpo,
        "dpo_low": value["low"],
        "dpo_high": value["high"],
        "diversity": diversity,
        "diversity_low": None if diversity is None else diversity - 0.01,
        "diversity_high": None if diversity is None else diversity + 0.01,
        "shortened": 0,
        "behind_best": interval(behind, spread if half is not None else None),
    }


def recommendation(
    knobs, gain=0.06, half=0.04, gap=0.03, clear=True, margin=0.05, sharpen=0, needed=0
):
    """What is recommended over the paper's defaults; `knobs` a cell's row or the defaults."""
    names = ("k", "lambda_b", "lambda_d")
    return {
        **{name: knobs[name] for name in names},
        "clear": clear,
        "defaults": {"k": 6, "lambda_b": 0.95, "lambda_d": 0.75},
        "gain": interval(gain, half),
        "gap": gap,
        "margin": margin,
        "settled": gap is not None and gap <= margin,
        "best_value": interval(-0.52, 0.04),
        "sharpen": sharpen,
        "needed": needed,
    }


def calibration(*cells, best=None, metric="dpo_per_triple", **changes):
    """A calibration whose best cell is the one with the largest mean unless `best` names one."""
    rows = list(cells)
    known = [row for row in rows if row[metric] is not None]
    top = rows[best] if best is not None else max(known, key=lambda r: r[metric], default=None)
    requests = [
        {"method": "rel+div+bias", "bias_scale": "raw", "seed": 0}
        | {name: row[name] for name in ("k", "lambda_b", "lambda_d")}
        for row in rows
    ]
    made = figures(**changes)
    made["settings"] = made["settings"] | {"cells": requests}
    advice = {"recommendation": None if top is None else recommendation(top)}
    return {"curve": rows, "metric": metric, "best": top, **advice, **made}


def helps_then_hurts():
    return calibration(
        cell(0.0, -0.9, 0.4, clear=True),
        cell(0.5, -0.52, 0.02),
        cell(0.6, -0.5),
        cell(0.8, -0.53, 0.03),
        cell(1.0, -0.7, 0.2, clear=True),
    )


METRICS = (
    "dpo_per_triple",
    "dpo",
    "delta",
    "mc1",
    "mc2",
    "mc3",
    "mc3_normalised",
    "dpo_correct_only",
    "diversity",
)


def method(name, mean, half=0.05, lead=None, clear=False, kinds=None, **metrics):
    """A method's row; `lead` over the reference, None for the reference itself.

    `kinds` are the means of DPO per triple by kind of incorrect answer.
    """
    values = dict.fromkeys(METRICS) | {"dpo_per_triple": mean} | metrics
    row = {
        **values,
        "intervals": {
            metric: [None, None] if value is None else [value - half, value + half]
            for metric, value in values.items()
        },
        "n": dict.fromkeys(METRICS, 40),
        "shortened": 0,
        "left_out": 0,
        "dpo_per_triple_by_kind": {
            kind: interval(mean, half) for kind, mean in (kinds or {}).items()
        },
        "request": {
            "method": name,
            "k": 6,
            "lambda_d": 0.75,
            "lambda_b": 0.95,
            "seed": 0,
            "bias_scale": "raw",
        },
    }
    if lead is not None:
        row["difference"] = dict.fromkeys(METRICS, interval(None, None)) | {
            "dpo_per_triple": interval(lead, abs(lead) / 2 if clear else 1.0)
        }
    return row


def comparison(reference="none", best=None, needed=0, **methods):
    """`best` are the methods that none is clearly better than, all of them unless given."""
    known = [name for name, row in methods.items() if row["dpo_per_triple"] is not None]
    row = {"best": known if best is None else best, "examples": 40, "needed": needed}
    together = dict.fromkeys(METRICS, row)
    return {"methods": methods, "reference": reference, "together": together, **figures()}


def three_methods():
    return comparison(
        best=["rel+div"],
        none=method("none", -0.693, half=0.0, mc1=0.2),
        rel=method("rel", -0.68, lead=0.013, mc1=0.5, diversity=0.4),
        **{"rel+div": method("rel+div", -0.5, lead=0.193, clear=True, mc1=0.5, diversity=0.2)},
    )


def two_methods_by_kind():
    return comparison(
        rel=method("rel", -0.5, kinds={"<b>myth</b>": -0.4, "slip": -0.2}),
        **{"rel+div": method("rel+div", -0.3, lead=0.2, kinds={"<b>myth</b>": -0.6, "slip": -0.1})},
        reference="rel",
    )
