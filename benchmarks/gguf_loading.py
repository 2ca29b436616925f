"""Loading a GGUF file side by side: ours, the first time and later, and transformers.

    python benchmarks/gguf_loading.py FILE [--rounds 5]

Each round reads the file in a process of its own: as ours does when it meets it for the first time
(converted into a folder), as ours does from then on, and as `transformers` does with `gguf_file=`.
Prints the median wall-clock seconds with the smallest and largest, imports left out, and how far
the log-probabilities of the two are apart.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
TEXT = "Q: What is the capital of France?\nA:"
ANSWERS = [" Paris", " The capital of France is Paris, and it has been for 1,000 years."]
OURS = f"""
import sys, time
import torch, transformers
from core.language_model import AnswerRequest, load
begun = time.perf_counter()
model = load(sys.argv[1], device="cpu")
taken = time.perf_counter() - begun
(found,) = model.log_probs([AnswerRequest({TEXT!r}, tuple({ANSWERS!r}))])
print(json.dumps([taken, [each.total for each in found]]))
"""
THEIRS = f"""
import sys, time
from pathlib import Path
import torch, transformers
transformers.utils.logging.disable_progress_bar()
path = Path(sys.argv[1])
begun = time.perf_counter()
place = {{"gguf_file": path.name}}
tokenizer = transformers.AutoTokenizer.from_pretrained(path.parent, **place)
model = transformers.AutoModelForCausalLM.from_pretrained(
    path.parent, dtype=torch.float32, **place
).eval()
taken = time.perf_counter() - begun
totals = []
for answer in {ANSWERS!r}:
    begin = len(tokenizer({TEXT!r}).input_ids)
    ids = torch.tensor([tokenizer({TEXT!r} + answer).input_ids])
    with torch.inference_mode():
        rows = model(ids).logits[0].double().log_softmax(-1)
    totals.append(sum(float(rows[at - 1, ids[0, at]]) for at in range(begin, ids.shape[1])))
print(json.dumps([taken, totals]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    taken: dict[str, list[float]] = {"converting": [], "converted": [], "transformers": []}
    for _ in range(asked.rounds):
        with tempfile.TemporaryDirectory(prefix="shotlist-gguf-") as models:
            for name, code in (("converting", OURS), ("converted", OURS), ("transformers", THEIRS)):
                seconds, totals = _run(code, asked.file, models)
                taken[name].append(seconds)
                if name == "converted":
                    ours = totals
        apart = max(abs(one - other) for one, other in zip(ours, totals, strict=True))
    for name, each in taken.items():
        print(f"{name:>13}: {median(each):.2f} s ({min(each):.2f} to {max(each):.2f})")
    print(f"log-probabilities at most {apart:.0e} apart")


def _run(code: str, file: Path, models: str) -> tuple[float, list[float]]:
    around = os.environ | {"SHOTLIST_MODELS": models, "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-c", f"import json{code}", str(file.resolve())]
    done = subprocess.run(command, cwd=ROOT, env=around, capture_output=True, text=True, check=True)
    seconds, totals = json.loads(done.stdout.splitlines()[-1])
    return seconds, totals


if __name__ == "__main__":
    main()
