"""The commands `evaluate` and `calibrate`: their figures, reports, settings and mistakes."""

import html
import json
import re
import shutil

import pytest

from core.commands.main import main
from core.studio.session.models import NOT_ITS_TASK
from tests.support.commands import ROWS, refused


@pytest.fixture
def deaf_model(tiny_lm_folder, tmp_path):
    """A model whose tokenizer drops "}" and the white space at the end: " }" has no tokens."""
    folder = tmp_path / "deaf"
    shutil.copytree(tiny_lm_folder, folder)
    file = folder / "tokenizer.json"
    tokenizer = json.loads(file.read_text(encoding="utf-8"))
    tokenizer["normalizer"] = {
        "type": "Sequence",
        "normalizers": [
            {"type": "Replace", "pattern": {"String": "}"}, "content": ""},
            {"type": "Strip", "strip_left": False, "strip_right": True},
        ],
    }
    file.write_text(json.dumps(tokenizer), encoding="utf-8")
    return folder


def test_one_answer_without_tokens_stops_no_run(capsys, run, pool, deaf_model, tmp_path):
    path = tmp_path / "bracket.jsonl"
    row = {"query": "Which bracket closes { ?", "answer": "}", "incorrect": [")"]}
    path.write_text(json.dumps(row), encoding="utf-8")
    (odd,) = run("import", path, "--pool", pool)["first_ids"]
    scored = run("quality", "--pool", pool, "--model", deaf_model)
    assert (scored["scored"], scored["too_long"], scored["without_tokens"]) == (10, [], [odd])
    common = ("--pool", pool, "--model", deaf_model, "-k", "2")
    out = tmp_path / "report.html"
    named = {"query": row["query"], "reason": "answer without tokens", "answer": "}"}
    for command in (
        ("evaluate", "--methods", "none,rel,rel+div+bias", "--report", out),
        ("calibrate",),
    ):
        found = run(*command, *common)
        assert (found["examples"], found["skipped"], found["total"]) == (7, 1, 8)
        assert found["skipped_examples"] == [named]
    sentence = "1 example had an answer that this model's tokenizer turns into no tokens"
    assert sentence in html.unescape(out.read_text("utf-8"))
    assert main([str(a) for a in ("evaluate", "--methods", "none", *common)]) == 0
    assert (
        f"{sentence} and could not be used: 'Which bracket closes {{ ?' with the answer '}}'."
        in (capsys.readouterr().out)
    )


def test_each_phase_of_a_run_tells_its_own_progress(capsys, pool, tiny_lm_folder, workspace):
    arguments = ("evaluate", "--pool", pool, "--model", tiny_lm_folder, "--methods", "rel+bias")
    assert main([str(argument) for argument in (*arguments, "--json")]) == 0
    printed = capsys.readouterr().err.splitlines()
    lines = [line for line in printed if re.search(r": \d+ of \d+", line)]
    phases = [line.split(":")[0] for line in lines]
    assert list(dict.fromkeys(phases)) == ["embedding", "scoring quality", "evaluating"]
    assert [line for line in lines if line.startswith("evaluating")] == [
        f"evaluating: {done} of 7" for done in range(1, 8)
    ]


@pytest.mark.thorough
def test_leaks_are_counted_and_left_out_where_asked_for(
    capsys, run, pool, tiny_lm_folder, tmp_path
):
    path = tmp_path / "again.jsonl"
    rows = [{"query": f"Once more: {query}", "answer": answers[0]} for query, answers in ROWS[:4]]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    run("import", path, "--pool", pool)
    out = tmp_path / "report.html"
    common = ("--pool", pool, "--model", tiny_lm_folder, "-k", "3", "--report", out, "--force")
    evaluate = ("evaluate", "--methods", "none,rel", *common)
    for command, rows_of in (
        (evaluate, lambda found: found["methods"]),
        (("calibrate", *common), lambda found: range(len(found["curve"]))),
    ):
        found, without = run(*command), run(*command, "--leave-out-leaks")
        key = "methods" if "methods" in found else "curve"
        counts = [found[key][row]["leaks"]["contexts"] for row in rows_of(found)]
        assert max(counts) == 8  # each of the four queries, and each of the new ones
        assert {without[key][row]["leaks"]["contexts"] for row in rows_of(without)} == {0}
        assert found["settings"]["leave_out"] == "same normalised query"
        assert "correct answer" in without["settings"]["leave_out"]
        assert without["settings"]["leave_out"] in html.unescape(out.read_text("utf-8"))
    assert main([str(argument) for argument in evaluate]) == 0
    printed = capsys.readouterr().out
    assert "Leaks: with rel, in 8 of 11 examples the context gives the answer away" in printed
    assert "none 0 of 11, rel 8 of 11" in html.unescape(out.read_text("utf-8"))


def test_evaluate_and_calibrate_never_score_a_pair_twice(run, pool, tiny_lm_folder):
    evaluate = (
        "evaluate", "--pool", pool, "--methods", "none,rel,rel+div+bias", "--model",
        tiny_lm_folder, "-k", "2", "--limit", "4",
    )  # fmt: skip
    first = run(*evaluate)
    assert list(first["methods"]) == ["none", "rel", "rel+div+bias"]
    assert first["examples"] == 4
    assert first["language_model_calls"] > 0
    none = first["methods"]["none"]
    assert none["dpo_per_triple"] == pytest.approx(-0.693147, abs=1e-6)
    assert none["diversity"] is None
    keys = {"dpo", "dpo_per_triple", "delta", "mc1", "mc2", "mc3", "mc3_normalised", "diversity"}
    assert keys | {"intervals"} <= set(none)
    again = run(*evaluate)
    assert again["language_model_calls"] == 0
    assert again["methods"] == first["methods"]

    curve = run("calibrate", "--pool", pool, "--model", tiny_lm_folder, "-k", "2", "--limit", "4")
    assert [row["lambda_d"] for row in curve["curve"]] == [round(i / 20, 2) for i in range(21)]
    at_default = next(row for row in curve["curve"] if row["lambda_d"] == 0.75)
    assert at_default["dpo_per_triple"] == first["methods"]["rel+div+bias"]["dpo_per_triple"]
    assert {"dpo_low", "dpo_high", "diversity"} <= set(at_default)
    assert curve["best"]["dpo_per_triple"] == max(row["dpo_per_triple"] for row in curve["curve"])
    assert curve["end"] == "all"
    advice = curve["recommendation"]
    assert (advice["k"], advice["lambda_b"], advice["lambda_d"]) == (6, 0.95, 0.75)
    assert (advice["clear"], advice["settled"], advice["needed"]) == (False, False, 20)
    spread = [row["dpo_per_triple"] for row in curve["curve"]]
    idle = first["methods"]["none"]["dpo_per_triple"]
    assert advice["margin"] == pytest.approx(
        max(0.05 * (max(spread) - min(spread)), 0.02 * abs(max(spread) - idle))
    )
    assert curve["steps"]["lambda_low"][0] == 0.0
    assert curve["steps"]["dpo_per_triple"][-1] == pytest.approx(
        curve["curve"][-1]["dpo_per_triple"]
    )


def test_evaluate_tells_differences_from_each_reference_and_dpo_by_kind(
    run, capsys, tmp_path, tiny_lm_folder
):
    rows = [
        {"query": query, "answer": answer, "incorrect": ["Blue", "Five"], "incorrect_kinds": kinds}
        for query, answer, kinds in (
            ("Is glass a liquid?", "No", ["colour", ""]),
            ("Can dogs see?", "Yes", ["colour", "number"]),
            ("Is ice hot?", "Never", ["colour", "number"]),
        )
    ]
    (tmp_path / "kinds.json").write_text(json.dumps(rows), encoding="utf-8")
    run("import", tmp_path / "kinds.json", "--pool", "kinds")
    evaluate = (
        "evaluate", "--pool", "kinds", "--methods", "none,rel,random", "--reference", "rel, none",
        "--model", tiny_lm_folder, "-k", "2",
    )  # fmt: skip
    found = run(*evaluate)
    methods = found["methods"]
    assert found["reference"] == "rel"
    assert list(methods["random"]["differences"]) == ["rel", "none"]
    for metric in ("dpo_per_triple", "mc1"):
        less = methods["random"]["differences"]["none"][metric]
        assert less["mean"] == pytest.approx(methods["random"][metric] - methods["none"][metric])
        assert (less["low"], less["needed"]) == (None, 20)
    assert found["together"]["mc1"] == {
        "best": ["none", "rel", "random"],
        "examples": 3,
        "needed": 20,
    }
    by_kind = methods["none"]["dpo_per_triple_by_kind"]
    assert {kind: each["n"] for kind, each in by_kind.items()} == {"colour": 3, "number": 2}
    assert by_kind["colour"]["mean"] == pytest.approx(-0.693147, abs=1e-6)
    assert main([str(word) for word in evaluate]) == 0
    printed = capsys.readouterr().out
    assert "random less rel" in printed
    assert "random less none" in printed
    assert "dpo_per_triple by kind" in printed
    line = refused(capsys, *evaluate[:6], "best", *evaluate[7:])
    assert "'best' is not among the methods" in line


@pytest.fixture
def faq(run, tmp_path):
    """A pool of questions and answers, three of which may have incorrect answers; its name."""

    def imported(with_incorrect):
        rows = [
            {"query": f"How do I {verb} the {thing}?", "answer": f"{verb.title()} it, the {thing}."}
            | ({"incorrect": ["Nobody knows."]} if number < with_incorrect else {})
            for number, (verb, thing) in enumerate(
                (verb, thing)
                for verb in ("reset", "close", "mend")
                for thing in (
                    "door",
                    "phone",
                    "printer",
                    "invoice",
                    "parcel",
                    "shop",
                    "lamp",
                    "car",
                )
            )
        ]
        (tmp_path / "faq.json").write_text(json.dumps(rows), encoding="utf-8")
        run("import", tmp_path / "faq.json", "--pool", "faq")
        return "faq"

    return imported


def found_pair(document, row, other):
    """The wins of two rows by metric."""
    (metrics,) = [
        pair["metrics"]
        for pair in document["pairs"]
        if (pair["row"], pair["other"]) == (row, other)
    ]
    return metrics


def test_a_pool_without_incorrect_answers_is_evaluated_by_what_its_correct_ones_gain(
    run, capsys, faq, tiny_lm_folder, tmp_path
):
    out = tmp_path / "report.html"
    evaluate = (
        "evaluate", "--pool", faq(0), "--methods", "none,rel", "-k", "1",
        "--model", tiny_lm_folder,
    )  # fmt: skip
    found = run(*evaluate, "--report", out)
    assert found["headline"] == "dpo_correct_only"
    rel = found["methods"]["rel"]
    assert (rel["dpo_per_triple"], rel["mc1"], rel["n"]["mc1"]) == (None, None, 0)
    low, high = rel["intervals"]["dpo_correct_only"]
    assert low < rel["dpo_correct_only"] < high
    assert rel["gain_per_token"] != 0.0
    assert rel["n"]["gain_per_token"] == found["together"]["dpo_correct_only"]["examples"] == 24
    assert main([str(word) for word in evaluate]) == 0
    table, sentence, less, wins, _ = capsys.readouterr().out.split("\n\n")
    found = re.split(r"  +", wins.splitlines()[-1])
    pair = found_pair(run(*evaluate), "none", "rel")["dpo_correct_only"]
    assert wins.startswith("Wins in dpo_correct_only (the larger value)\nagainst none")
    assert found[:2] == ["rel", f"{100 * pair['losses'] / pair['n']:.1f}"]
    assert found[-2:] == [f"{pair['max_diff']:.3f}", "24"]
    head, _, none, *_ = table.splitlines()
    assert re.split(r"  +", head) == [
        "method", "dpo_correct_only", "95 % of dpo_correct_only", "gain_per_token",
        "gain_per_answer", "leaks",
    ]  # fmt: skip
    assert none.split()[:2] == ["none", "-0.693"]
    assert sentence.startswith("No example has an incorrect answer, so the figures show how far")
    assert re.split(r"  +", less.splitlines()[0])[1:] == ["dpo_correct_only", "gain_per_answer"]
    report = out.read_text("utf-8")
    assert "incorrect answers would add whether a context raises" in report
    assert "no figures yet" not in report.lower()

    calibrate = "calibrate", "--pool", "faq", "--model", tiny_lm_folder, "-k", "1", "--limit", "3"
    capsys.readouterr()
    assert main([str(word) for word in calibrate]) == 0
    printed = capsys.readouterr().out
    assert re.split(r"  +", printed.splitlines()[0])[:4] == [
        "lambda_d", "dpo_correct_only", "dpo_correct_only_low", "dpo_correct_only_high",
    ]  # fmt: skip
    (best,) = [line for line in printed.splitlines() if line.startswith("best ")]
    assert "dpo_correct_only: -" in best
    assert "dpo_per_triple" not in best


def test_a_mixed_pool_says_how_many_examples_each_figure_rests_on(run, capsys, faq, tiny_lm_folder):
    evaluate = (
        "evaluate", "--pool", faq(3), "--methods", "none,rel", "-k", "1",
        "--model", tiny_lm_folder,
    )  # fmt: skip
    assert run(*evaluate)["headline"] == "dpo_correct_only"
    assert main([str(word) for word in evaluate]) == 0
    printed = capsys.readouterr().out
    columns = re.split(r"  +", printed.splitlines()[0])
    assert columns[1:4] == ["dpo_correct_only", "95 % of dpo_correct_only", "dpo_per_triple"]
    assert "3 of 24 examples have incorrect answers; on these rest DPO per triple" in printed
    assert "On the other 21 rests DPO without incorrect answers, on all 24 rest Gain" in printed


def test_the_reports_are_written(run, pool, tiny_lm_folder, tmp_path):
    out = tmp_path / "report.html"
    run(
        "evaluate", "--pool", pool, "--methods", "none,rel", "--model", tiny_lm_folder,
        "--limit", "2", "--report", out,
    )  # fmt: skip
    assert "<html" in out.read_text("utf-8")


def test_the_model_is_practice_unless_the_environment_names_one(
    run, pool, tiny_lm_folder, monkeypatch
):
    first = run("quality", "--pool", pool)
    assert (first["scored"], first["model"]) == (10, "practice")
    assert run("quality", "--pool", pool, "--model", "practice")["reused"] == 10
    monkeypatch.setenv("SHOTLIST_MODEL", str(tiny_lm_folder))
    other = run("quality", "--pool", pool)
    assert (other["scored"], other["model"]) == (10, tiny_lm_folder.name)


def test_on_other_pools_the_practice_model_says_that_it_knows_only_calls(run, pool, tmp_path):
    out = tmp_path / "report.html"
    run("calibrate", "--pool", pool, "--limit", "2", "-k", "1", "--report", out)
    assert NOT_ITS_TASK in out.read_text("utf-8")


def test_mistakes_of_evaluate_and_export(capsys, kept, tiny_lm_folder, tmp_path):
    evaluate = ("evaluate", "--pool", kept, "--model", tiny_lm_folder, "--methods")
    assert "no method 'best'" in refused(capsys, *evaluate, "best")
    assert "The setting 'rel' is named twice" in refused(capsys, *evaluate, "rel,rel")
    assert "from 1" in refused(capsys, *evaluate, "rel", "--limit", "0")
    assert "nowhere" in refused(capsys, *evaluate, "rel", "--examples", "nowhere")
    out = tmp_path / "x.pdf"
    assert "jsonl" in refused(capsys, "export", "--pool", kept, "--format", "pdf", "--out", out)
    assert not out.exists()
    missing = tmp_path / "no" / "folder" / "x.csv"
    assert "folder" in refused(
        capsys, "export", "--pool", kept, "--format", "csv", "--out", missing
    )


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["best k=2"], "no method 'best'"),
        (["close:"], "'close:' names no method"),
        (["rel size=2"], "The method 'rel' has no knob 'size'; it has k, candidates, embed"),
        (["rel lambda_d=0.5"], "The method 'rel' has no knob 'lambda_d'"),
        (["none k=2"], "The method 'none' has no knob 'k'; it has model."),
        (["rel+div lambda_d=1.5"], "lambda_d is '1.5'; it must be a number from 0 to 1."),
        (["rel@k=0"], "k is '0'; it must be a whole number from 1."),
        (["rel candidates=many"], "candidates is 'many'; it must be a whole number from 0."),
        (["rel embed=answer"], "embed is 'answer'; it must be one of query, query+answer."),
        (["rel one_per_query=maybe"], "one_per_query is 'maybe'; it must be true or false."),
        (["rel 4"], "'4' in the setting 'rel 4' is no key=value"),
        (["'rel k=4"], "opens a quote and does not close it"),
        (["rel", "rel"], "The setting 'rel' is named twice; change a knob of one of them"),
        (["a: rel", "b: rel@k=6"], "The settings 'a' and 'b' are the same; change a knob"),
        (["rel+div k=2 k=3"], "The setting 'rel+div k=2 k=3' gives k twice; leave one of them"),
        (["rel model="], "The setting 'rel model=' names no model after model=; leave it out"),
        (["a: rel", "a: bm25"], "Two settings have the name 'a'; give each a name of its own."),
    ],
)
def test_wrong_settings_are_refused_in_one_line(capsys, kept, tiny_lm_folder, settings, words):
    given = [part for each in settings for part in ("--settings", each)]
    line = refused(capsys, "evaluate", "--pool", kept, "--model", tiny_lm_folder, *given)
    assert words in line


def test_settings_are_evaluated_under_their_names(run, capsys, pool, tiny_lm_folder):
    evaluate = (
        "evaluate", "--pool", pool, "--model", tiny_lm_folder, "--methods", "none,rel+div",
        "--settings", "wide: rel+div lambda_d=0.1 k=2", "--settings", "vrsd@candidates=3",
        "--reference", "wide", "-k", "3", "--limit", "2",
    )  # fmt: skip
    found = run(*evaluate)
    asked = {name: each["request"] for name, each in found["methods"].items()}
    assert [(name, each["method"], each["k"]) for name, each in asked.items()] == [
        ("none", "none", 3),
        ("rel+div", "rel+div", 3),
        ("wide", "rel+div", 2),
        ("vrsd@candidates=3", "vrsd", 3),
    ]
    assert asked["wide"]["lambda_d"] == 0.1
    assert asked["vrsd@candidates=3"]["candidates"] == 3
    assert found["reference"] == "wide"
    assert main([str(word) for word in evaluate]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("setting ")
    assert "rel+div less wide" in printed
    settings = "The settings: k 3; rel+div: lambda_d 0.75; wide: rel+div, k 2, lambda_d 0.10."
    assert settings in printed
    figures = printed.split("rel+div less wide")[0]
    assert max(map(len, figures.splitlines())) <= 100, "columns that do not fit go on below"
    assert figures.count("\nnone  ") == figures.count("\nvrsd@candidates=3 ") > 1
