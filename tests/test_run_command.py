"""`run`: its document, its tables, and the mistakes that users make."""

import json

import pytest

from core.commands.main import main
from core.commands.parser import argument_parser
from core.generation import MAX_NEW_TOKENS
from core.language_model.scripted.model import ScriptedLanguageModel
from core.programs.paper import CATALOGUE
from core.programs.run import TEMPERATURE
from core.programs.trial.drawing import SEEDS
from core.settings import PROGRAM_KNOBS, data_folder
from core.studio.programs.trial_records import TrialRequest
from tests.support.hashing_encoder import HashingEncoder

TWO_HOP = ("--pool", "two-hop", "--passages", "two-hop", "--model", "scripted", "--by", "bm25")


class Interrupted(ScriptedLanguageModel):
    """Somebody presses Ctrl-C while it writes for the `after`th time, or a text breaks it."""

    after = 10_000
    broken_by = ""

    def __init__(self):
        self.asked = []

    def generate(self, requests, **callbacks):
        if len(self.asked) == self.after:
            raise KeyboardInterrupt
        if self.broken_by and any(self.broken_by in request.prompt for request in requests):
            raise RuntimeError("out of memory")
        self.asked += requests
        return super().generate(requests, **callbacks)


@pytest.fixture
def model():
    return Interrupted()


@pytest.fixture
def workspace(tmp_path, monkeypatch, every_studio, model, capsys):
    every_studio(load_encoder=lambda name=None: HashingEncoder(), load_model=lambda name: model)
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "workspace"))
    data = data_folder()
    assert main(["import", str(data / "two-hop.jsonl"), "--pool", "two-hop"]) == 0
    passages = str(data / "two-hop-passages.jsonl")
    assert main(["passages", "import", passages, "--to", "two-hop"]) == 0
    capsys.readouterr()


def run(capsys, *arguments, status=0):
    assert main(["run", *map(str, arguments)]) == status
    printed = capsys.readouterr()
    return printed.out, printed.err


def test_what_is_not_given_is_as_the_library_has_it():
    given = argument_parser().parse_args(["run", "vanilla", "--pool", "x"])
    usual = TrialRequest(programs=("vanilla",), pool="x")
    assert (given.seeds, given.limit, given.examples) == (SEEDS, None, None)
    assert (given.temperature, given.max_tokens) == (TEMPERATURE, MAX_NEW_TOKENS)
    assert (given.by, given.passages, given.ablate) == (usual.by.value, None, False)
    assert {getattr(given, knob) for knob in PROGRAM_KNOBS} == {None}
    assert set(PROGRAM_KNOBS) == {knob for each in CATALOGUE.values() for knob in each.knobs}


def test_the_document_of_an_ablation(workspace, capsys, model):
    out, err = run(
        capsys, "multi-hop,vanilla", *TWO_HOP, "--ablate", "--limit", 4, "--seeds", 2,
        "--shots", 8, "--annotate", 2, "--json",
    )  # fmt: skip
    found = json.loads(out)
    assert list(found) == [
        "pool", "pool_version", "examples", "questions", "seeds", "shots", "drawn",
        "passages", "passages_version", "by", "encoder", "model", "sampling", "max_new_tokens",
        "run", "scores", "rows", "differences", "traces", "demonstrations", "calls", "tokens",
        "notes",
    ]  # fmt: skip
    names = [row["name"] for row in found["rows"]]
    assert names == [
        "multi-hop", "multi-hop without annotate", "multi-hop without fusion",
        "multi-hop without self-consistency", "multi-hop without passages", "vanilla",
    ]  # fmt: skip
    first = found["rows"][0]
    assert found["scores"] == first["scores"]
    assert set(first["scores"]) == {"em", "f1", "nf1", "intervals"}
    low, high = first["scores"]["intervals"]["em"]
    assert 0 <= low <= first["scores"]["em"] <= high <= 1
    assert first["knobs"] == {
        "shots": 8, "augmented": 2, "k": 5, "samples": 20, "max_hops": 2, "queries": 10,
    }  # fmt: skip
    assert [each["questions"] for each in first["by_seed"]] == [2, 2]
    assert [each["row"] for each in found["differences"]] == names[1:]
    made = {(each["seed"], str(each["knobs"])) for each in found["demonstrations"]}
    assert len(made) == 2 * 3, "without fusion and without a vote they are the same"
    assert found["calls"] > sum(row["calls"] for row in found["rows"])
    assert found["calls"] > len(model.asked), "what the workspace has is not asked again"
    traces = [each for each in found["traces"] if each["row"] == "multi-hop"]
    assert [step["stage"] for step in traces[0]["steps"] if step["prompt"]] == [
        "hop 1", "hop 2", "qa_cot",
    ]  # fmt: skip
    last = traces[0]["steps"][-1]
    assert last["prompt"].endswith("Rationale: Let's think step by step.")
    assert (len(last["completions"]), last["tokens"]) == (20, len(last["prompt"].split()))
    fused = next(step for step in traces[0]["steps"] if step["stage"] == "fuse")
    assert (len(fused["queries"]), len(fused["passages"])) == (11, 5)
    assert traces[0]["correct"] is (traces[0]["answer"] in traces[0]["answers"])
    made = [each for each in found["demonstrations"] if each["knobs"]["augmented"] == 2]
    kept = [each for each in made if each["augmented"]]
    assert all(each["rejected_for"] is None for each in kept)
    assert {each["rejected_for"] for each in made} <= {None, "search failed", "answer wrong"}
    assert all(isinstance(each["id"], int) for each in made)
    whole = [each for each in made if each["seed"] == 0 and each["knobs"]["max_hops"] == 2]
    assert len(whole) == 8, "every training example once, tried or not"
    assert "answering: " in err
    assert "The model is scripted" in err
    assert found["notes"][0] in err


def test_the_tables(workspace, capsys):
    out, _ = run(capsys, "retrieve-then-read,vanilla", *TWO_HOP, "--limit", 3, "--seeds", 2)
    scores, differences, seeds, made = out.strip().split("\n\n")
    assert scores.splitlines()[0].split("  ")[0] == "program"
    assert [line.split()[0] for line in scores.splitlines()[2:]] == [
        "retrieve-then-read",
        "vanilla",
    ]
    assert differences.splitlines()[0].startswith("paired, less retrieve-then-read")
    assert seeds.splitlines()[0].split("  ")[0] == "em by seed"
    assert "0 (n 2)" in seeds
    assert "questions" in made
    alone, _ = run(capsys, "vanilla", *TWO_HOP, "--limit", 3, "--seeds", 1)
    assert "paired" not in alone


def test_one_question_is_shown_with_every_step(workspace, capsys):
    arguments = ("multi-hop,vanilla", *TWO_HOP, "--question", "Who is Ys?", "--shots", 2)
    out, _ = run(capsys, *arguments)
    answers, hops, vanilla, made = out.strip().split("\n\n")
    assert answers.splitlines()[0].split() == ["program", "answer", "calls", "tokens", "seconds"]
    lines = hops.splitlines()
    assert lines[:2] == ["multi-hop", "  hop 1"]
    assert any(line.strip().endswith("query: Who is Ys?") for line in lines)
    assert [line for line in lines if line.startswith("  ") and line[2] != " "] == [
        "  hop 1", "  fuse", "  hop 2", "  fuse", "  qa_cot",
    ]  # fmt: skip
    assert vanilla.startswith("vanilla\n  qa")
    assert "em by seed" not in out
    out, _ = run(capsys, *arguments, "--json")
    found = json.loads(out)
    assert found["scores"] is None
    assert [each["answers"] for each in found["traces"]] == [[], []]
    _, err = run(capsys, "vanilla", *TWO_HOP, "--question", " ", status=2)
    assert "The question is empty" in err


def test_questions_that_failed_are_counted_in_a_column(workspace, capsys, model):
    arguments = ("retrieve-then-read,vanilla", *TWO_HOP, "--limit", 3, "--seeds", 1, "--shots", 0)
    out, _ = run(capsys, *arguments, "--json")
    model.broken_by = json.loads(out)["traces"][0]["question"]
    out, err = run(capsys, *arguments, "--max-tokens", 32)
    heads, _, first, second = out.splitlines()[:4]
    assert heads.split()[-1] == "failed"
    assert (first.split()[-1], second.split()[-1]) == ("1", "1")
    assert "Questions that failed and count as wrong: 2 of 6" in err
    model.broken_by = ""
    out, _ = run(capsys, *arguments, "--max-tokens", 32)
    assert "failed" not in out


def test_stopped_by_hand_it_goes_on(workspace, capsys, model):
    arguments = ("multi-hop", *TWO_HOP, "--limit", 4, "--seeds", 1, "--shots", 4)
    model.after = 7
    _, err = run(capsys, *arguments, status=130)
    assert err.splitlines()[-1] == "shotlist run: stopped; what was computed is kept."
    model.after = 10_000
    run(capsys, *arguments)
    assert len(model.asked) == len(set(model.asked)) > 7


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("conversational", *TWO_HOP), "answers questions of conversations, and the queries"),
        (("multi-hop", "--pool", "two-hop"), "name a collection of them"),
        (("hop", *TWO_HOP), "There is no program 'hop': choose vanilla, retrieve-then-read, self-"),
        (("vanilla,vanilla", *TWO_HOP), "each once"),
        (("vanilla", *TWO_HOP, "--hops", "1"), "--hops was given, which vanilla does not have; "
         "leave it out, or choose multi-hop."),
        (("vanilla", "--pool", "none"), "none"),
    ],
)  # fmt: skip
def test_mistakes_are_one_sentence(workspace, capsys, arguments, message):
    out, err = run(capsys, *arguments, status=2)
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("shotlist run: ")
    assert message in line


@pytest.mark.parametrize(
    ("flag", "value"),
    [("--seeds", "0"), ("--limit", "0"), ("--samples", "0"), ("--queries", "0"), ("--shots", "-1"),
     ("--temperature", "hot"), ("--temperature", "-1"), ("--max-tokens", "0"), ("--by", "luck")],
)  # fmt: skip
def test_a_number_out_of_its_range(capsys, flag, value):
    with pytest.raises(SystemExit) as stopped:
        main(["run", "vanilla", "--pool", "x", flag, value])
    assert stopped.value.code == 2
    assert flag in capsys.readouterr().err
