"""Write docs/cli.md, the reference of the command line, from the parser of the commands.

    .venv/bin/python docs/cli.py

What each command does and takes is read from its parser; here are only an example of each command
and what its help has no room for. A test compares the file with what `reference` makes.
"""

import argparse
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from core.commands.flags import add_own_knobs
from core.commands.parser import argument_parser
from fusion.options import argument_parser as fusion_parser
from studies.options import argument_parser as studies_parser

PAGE = ROOT / "docs" / "cli.md"
PROGRAMS = {"core": argument_parser, "studies": studies_parser, "fusion": fusion_parser}
"""What makes the parser of each program that is run as `python -m NAME`."""
SHARED = ("--help", "--json", "--workspace")
"""The options of every command, described once."""
WIDTH = 100
_GLUE = "\0"
"""Stands for a space at which no line ends."""

START = """\
# The command line

This page explains what every command does, which options it takes, and how each is called.

[README](../README.md) · [how a context is chosen](selection.md) \
· [how a context is judged](evaluation.md) · [calibration](calibration.md) \
· [formats](formats.md) · [studies](studies.md)

`python -m core COMMAND` (in a checkout: `.venv/bin/python -m core`), or `shotlist COMMAND` when
installed with `pip install .`. This page is made from the commands' own help by `make docs`.

Every command has `--help`, `--json` (one JSON document on standard output, progress on standard
error) and `--workspace FOLDER` (default: `SHOTLIST_WORKSPACE`, else `data/workspace`).

Exit status: 0 done, 2 your mistake (one line), 1 a fault of Shotlist, 130 stopped by Ctrl-C, 141
where nobody reads the output any more (`| head`); what was done until then is kept. A console that
cannot show a letter gets an escape for it (`\\u6253`), and control characters in your texts are
shown as escapes; `--json` is ASCII and has them as they are. `--force` replaces an export or a
report that is there already.

Nothing is computed twice for the same content: embeddings are kept by text and encoder, quality
bias by text and model, log-probabilities by model, prompt and answer. Whatever was killed or
cancelled continues where it stopped. One process owns a workspace; a second one gets one line that
says so.
"""

BESIDE = """\
In a checkout only; the three options and the exit statuses are the same:
"""


class Entry(NamedTuple):
    """What the parser does not know of a command: a line to try, and more about it."""

    example: str
    more: str = ""


ENTRIES: Mapping[str, Entry] = {
    "import": Entry(
        "import data/service-desk.jsonl --pool service-desk",
        "All of the file is added or nothing, and the report says everything that happened to it "
        "([formats](formats.md)).",
    ),
    "pools": Entry("pools"),
    "suggest": Entry(
        "suggest --pool faq --per-query 3",
        "`--accept` adds those of near queries ([pools without incorrect answers]"
        "(evaluation.md#pools-without-incorrect-answers)). In JSON `answers` counts what the "
        "model's own answers are: `suggested`, `correct`, `known`, `refused` or `unfinished`.",
    ),
    "check": Entry(
        "check --pool service-desk",
        "In JSON `findings` has every finding by its kind, the worst kind first, with its `ids`, "
        "`measure`, `text` and `key` ([what is wrong with a pool](findings.md)).",
    ),
    "worth": Entry(
        "worth --pool service-desk --limit 60",
        "In JSON each of `demonstrations` has its `id`, `worth`, the interval's `low` and `high`, "
        "in how many `contexts` it is, and how many an interval takes (`needed`, 0 where there is "
        "one); `unused` counts those in no context "
        "([what a demonstration is worth](findings.md#what-a-demonstration-is-worth)).",
    ),
    "embed": Entry(
        "embed --pool service-desk",
        "In JSON `cut` are the ids whose query the encoder cuts, `unread` is the share of the "
        "queries that it has no letters for, `foreign`, for the default encoder, of those in "
        "another language than English, and `notes` say all of it.",
    ),
    "quality": Entry("quality --pool service-desk --model practice"),
    "retrieve": Entry(
        'retrieve --pool service-desk --query "play some jazz" --method rel+div -k 4',
        "In JSON `doubts` and, in sentences, `notes` are what to mind of the context "
        "([what a ranking cannot tell apart](selection.md#what-a-ranking-cannot-tell-apart)).",
    ),
    "path": Entry(
        'path --pool service-desk --query "play some jazz" --over lambda_b',
        "Every piece is exact. The key `over` of the JSON names the lambda; the other one can be "
        "given ([every context of a query](selection.md#every-context-of-a-query)).",
    ),
    "prompt": Entry(
        'prompt --pool service-desk --query "play some jazz" --method rel --template qa-instruction'
    ),
    "answer": Entry(
        'answer --pool service-desk --query "play some jazz" --method rel+div+bias',
        "The most probable token at every step, up to where another demonstration would begin. In "
        "JSON each of `answers` has its `context` (true or false), `text`, `tokens`, `log_prob`, "
        "`log_prob_per_token` and `ended_by`: `end` (the model's own end), `stop`, `length` or "
        "`window`.",
    ),
    "evaluate": Entry(
        "evaluate --pool service-desk --methods none,rel "
        '--settings "close: rel+div lambda_d=0.9 k=4" --limit 100 --report comparison.html',
        "The table of methods and settings, each one's paired differences from the references, its "
        "wins, ties and losses against them, and DPO by kind of incorrect answer "
        "([comparing settings](evaluation.md#comparing-settings)). With `--generate`, `generated` "
        "in the JSON has every answer that the model gave, with its `row`, `query`, `text`, "
        "`verdict` and figures "
        "([what the model itself answers](evaluation.md#what-the-model-itself-answers)).",
    ),
    "calibrate": Entry(
        "calibrate --pool service-desk --limit 100 --until-settled",
        "In JSON `curve` has 21 values with intervals, `steps` every value exactly, and "
        "`recommendation` its gain over the paper's defaults ([calibration](calibration.md)).",
    ),
    "neighbours": Entry(
        "neighbours --pool service-desk --nearest 50",
        "It needs a run of `evaluate` with two settings or more, or one of `calibrate`. In JSON "
        "`per_query` and `overall` are the two choices, `gain` is their paired difference, "
        "`ceiling` the oracle, and each of `settings` counts who got it "
        "([best on the neighbours](selection.md#best-on-the-neighbours)).",
    ),
    "fixed": Entry(
        "fixed --pool service-desk --sets 20 -k 6 --limit 100",
        "In JSON `sets` has every set, the best first, with its mean on the examples that chose "
        "it; `value` is the best one's on the held-out examples, `present_value` that of the set "
        "that `fix` shows now, and `gain` the difference "
        "([a fixed set](selection.md#a-fixed-set)).",
    ),
    "export": Entry(
        "export --pool service-desk --format csv --out service-desk.csv",
        "[Formats written](formats.md#formats-written) says what each row holds.",
    ),
    "task": Entry("task --pool reviews --choose sentiment", "What a task is: [PGRA](pgra.md)."),
    "passages import": Entry(
        "passages import manual.md --to manual --size 100 --overlap 20",
        "What each format gives, and how documents are split: [passages](programs.md#passages).",
    ),
    "passages list": Entry("passages list"),
    "passages embed": Entry(
        "passages embed manual",
        "Embeddings are kept as they come: stopped in the middle, the next call goes on. In JSON "
        "`cut` are the ids of the passages that the encoder cuts.",
    ),
    "passages search": Entry(
        'passages search manual --query "how are pools exported" -k 3 --by fused',
        "In JSON each of `passages` has its `id`, `title`, `text`, `source`, `document`, `part`, "
        "`score`, `probability` and `cut`; `temperatures` are those of the probabilities.",
    ),
    "passages remove": Entry("passages remove manual"),
    "bootstrap": Entry(
        "bootstrap --pool service-desk-curated --examples service-desk --limit 50 --to written",
        "Each attempt is kept as it comes: stopped or killed, the same call goes on, and nothing "
        "is asked twice. In JSON `outcomes` counts them, each of `attempts` has its `outcome` "
        "(`kept`, or why not), what was `predicted`, `rationale`, `passages` and the `prompt`, and "
        "`kept` says what the pool got ([bootstrap](programs.md#bootstrap-into-a-pool)).",
    ),
    "run": Entry(
        "run multi-hop,retrieve-then-read,vanilla --pool two-hop --passages two-hop "
        "--model scripted --ablate",
        "The model `scripted` follows rules for the bundled two-hop questions "
        "([two hops](programs.md#two-hops-a-teaching-example)); any other model is named as for "
        "`answer`. In JSON `scores` are those of the first row; `rows` have their `scores` with "
        "`intervals`, `by_seed`, `calls`, `tokens` and what prompts had no room for (`left_out`); "
        "`differences` are paired; `traces` have every question's `steps` with prompt, completions "
        "and passages; `demonstrations` say why an attempt was rejected "
        "([programs over a set](programs.md#programs-over-a-set-of-questions)).",
    ),
    "model list": Entry(
        "model list",
        "In JSON each of `models` has its `name`, `parameters`, `bytes` and `path` "
        "([models](models.md)).",
    ),
    "model get": Entry(
        "model get smollm2",
        "Afterwards `--model smollm2` names it everywhere. Neither `model list` nor `model get` "
        "opens the workspace, so the studio may run meanwhile.",
    ),
    "python -m studies vrsd": Entry(
        "vrsd --pool arc-easy --seeds 1 --limit 20 --model practice",
        "Win rates, means and gaps with intervals; with a model also accuracy and DPO "
        "([studies](studies.md)).",
    ),
    "python -m studies ragsys": Entry(
        "ragsys --pool service-desk --models practice,HuggingFaceTB/SmolLM2-135M --limit 50",
        "One model is in memory at a time. In JSON: `rows`, `orders`, `paper`, `notes`.",
    ),
    "python -m studies pgra": Entry(
        "pgra --pool reviews --seeds 1 --limit 50",
        "[Its tables](studies.md#pgra-does-the-task-find-better-what-is-alike) are shown beside "
        "the paper's.",
    ),
    "python -m fusion train": Entry("train --pool reviews --model t5-small --out my-reader"),
    "python -m fusion answer": Entry(
        'answer --pool reviews --reader my-reader --query "a dull film"'
    ),
}


def commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parser of every command that runs something, by its words, in the order of the help."""
    found: dict[str, argparse.ArgumentParser] = {}
    for name, below in _below(parser).items():
        inner = commands(below)
        found |= {f"{name} {word}": each for word, each in inner.items()} or {name: below}
    return found


def options_of(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """What a command takes beside `SHARED`; what is required comes first."""
    if getattr(parser, "own_knobs", False):
        add_own_knobs(parser)
        # The type of argparse's parsers knows no attribute that we add.
        parser.own_knobs = False  # type: ignore[attr-defined]
    taken = [each for each in parser._actions if not set(each.option_strings) & set(SHARED)]
    return sorted(taken, key=lambda each: (bool(each.option_strings), not each.required))


def heading(program: str, name: str) -> str:
    """What a command's section is called; those of `core` by their name alone."""
    return name if program == "core" else f"python -m {program} {name}"


def reference() -> str:
    """The whole page."""
    found = {program: commands(parser()) for program, parser in PROGRAMS.items()}
    parts = [START, "## Commands\n", _contents("core", found["core"]), BESIDE]
    parts += [_contents(program, found[program]) for program in PROGRAMS if program != "core"]
    for program, below in found.items():
        parts += [_section(program, name, each) for name, each in below.items()]
    return "\n".join(parts)


def _contents(program: str, found: Mapping[str, argparse.ArgumentParser]) -> str:
    """A line with a link for each command of a program."""
    titles = {name: heading(program, name) for name in found}
    return "".join(
        f"- [`{title}`](#{title.replace(' ', '-')}): {_help(found[name])}\n"
        for name, title in titles.items()
    )


def _section(program: str, name: str, parser: argparse.ArgumentParser) -> str:
    entry = ENTRIES[heading(program, name)]
    options = options_of(parser)
    about = f"{_sentence(_help(parser))} {entry.more}".rstrip()
    lines = [f"## `{heading(program, name)}`", "", about, ""]
    call = f"python -m {program}"
    if options:
        lines += ["```", *_usage(f"{call} {name}", options), "```", ""]
        lines += ["| option | is |", "|---|---|"]
        lines += [f"| {_in_cell(_forms(each))} | {_in_cell(_meaning(each))} |" for each in options]
        lines += ["", "For example:", ""]
    lines += ["```", f"{call} {entry.example}", "```", ""]
    return "\n".join(lines)


def _below(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands inside a command; none for one that runs something."""
    groups = (each.choices for each in parser._actions if isinstance(each.choices, Mapping))
    return dict(next(groups, {}))


def _help(parser: argparse.ArgumentParser) -> str:
    return parser.description or ""


def _usage(call: str, options: list[argparse.Action]) -> list[str]:
    """The lines that say how it is called; an option and its value share a line."""
    forms = (_form(each) if each.required else f"[{_form(each)}]" for each in options)
    whole = " ".join([call, *(form.replace(" ", _GLUE) for form in forms)])
    lines = textwrap.wrap(
        whole, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return [line.replace(_GLUE, " ") for line in lines]


def _form(action: argparse.Action) -> str:
    """How it is written: `--pool NAME`, `--json`, `PATH`."""
    value = action.metavar or _named(action)
    if not action.option_strings:
        return str(value)
    flag = action.option_strings[0]
    return flag if action.nargs == 0 else f"{flag} {value}"


def _forms(action: argparse.Action) -> str:
    """Every way of writing it, each as code: `-k N`, `--kept N`."""
    rest = _form(action).partition(" ")[2]
    written = [f"{flag} {rest}".rstrip() for flag in action.option_strings] or [_form(action)]
    return ", ".join(f"`{each}`" for each in written)


def _named(action: argparse.Action) -> str:
    """What stands for a value that has no name: its few choices, else the option's own name."""
    if action.choices is not None:
        return "|".join(map(str, action.choices))
    return action.dest.rpartition("_")[2].upper()


def _meaning(action: argparse.Action) -> str:
    """Its help with choices and defaults filled in, as `--help` does."""
    known = vars(action) | {"choices": ", ".join(map(str, action.choices or ()))}
    text = _sentence((action.help or "") % known)
    return f"Required. {text}" if action.required and action.option_strings else text


def _sentence(text: str) -> str:
    ending = "" if text.endswith((".", "?")) else "."
    return text[:1].upper() + text[1:] + ending


def _in_cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> None:
    """Write the page.

    Raises:
        SystemExit: A command has no entry, or an entry no command.
    """
    named = {
        heading(program, name)
        for program, parser in PROGRAMS.items()
        for name in commands(parser())
    }
    if wrong := sorted(named ^ set(ENTRIES)):
        raise SystemExit(f"ENTRIES of {Path(__file__).name} and the commands differ: {wrong}")
    PAGE.write_text(reference(), encoding="utf-8")


if __name__ == "__main__":
    main()
