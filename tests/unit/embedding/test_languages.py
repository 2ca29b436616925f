"""The language of a text: hand cases, and how many texts of real sets are mistaken."""

import csv
import gzip
import json
from pathlib import Path

import pytest

from core.retrieval.doubts import language_of

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Where is my parcel?", "English"),
        ("What does the word est mean?", "English"),
        ("In which country was Aimé born?", "English"),
        ("send_money { 50 as sum_usd, Ines as payee_name }", "English"),
        ("Wo ist mein Paket?", "German"),
        ("Grüße", "German"),
        ("Où est mon colis ?", "French"),
        ("¿Dónde está mi paquete?", "Spanish"),
        ("Come posso cambiare il mio indirizzo?", "Italian"),
        ("Onde está a minha encomenda?", "Portuguese"),
        ("Waar is mijn pakket?", "Dutch"),
        ("Gdzie jest moja paczka?", "Polish"),
        ("Siparişimi iptal etmek istiyorum.", "Turkish"),
        ("Где моя посылка?", "Cyrillic letters"),
        ("我的包裹在哪里？", "Chinese"),
        ("荷物はどこですか", "Japanese"),
        ("나의 소포는 어디에 있습니까?", "Korean"),
        ("พัสดุของฉันอยู่ที่ไหน", "Thai"),
        ("Πού είναι το δέμα μου;", "Greek letters"),
        ("სად არის ჩემი ამანათი?", "Georgian letters"),
        ("Ｗｈｅｒｅ ｉｓ ｉｔ？", "English"),
        ("München 1972", "German"),
        ("def encode(self, texts): return rows[0]", ""),
        ("Paris", ""),
        ("42 %", ""),
        ("", ""),
    ],
)
def test_the_language_of_a_text(text, language):
    assert language_of(text) == language


def foreign(texts):
    return sum(language_of(text) not in ("", "English") for text in texts)


def test_most_texts_in_the_languages_of_the_list_are_found():
    lines = (Path(__file__).with_name("foreign_texts.txt")).read_text("utf-8").splitlines()
    texts = [line.split(" | ")[1] for line in lines]
    assert (len(texts), foreign(texts)) == (90, 86)
    questions = (ROOT / "benchmarks" / "service_questions.txt").read_text("utf-8").splitlines()
    english = [text for line in questions for text in line.split(" | ")[:2]]
    german = [text for line in questions for text in line.split(" | ")[2:]]
    assert (len(english), foreign(english)) == (202, 0)
    assert (len(german), foreign(german)) == (202, 200)


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("truthfulqa/TruthfulQA.csv", 0),
        ("trec/TREC.train.all", 1),
        ("hotpotqa/hotpot_dev_v1_simplified.json.gz", 1),
        ("sst/stsa.binary.train.gz", 2),
        ("mpqa/mpqa.all", 3),
        ("subj/subj.all.gz", 8),
        ("mr/rt-polarity.all.gz", 14),
    ],
)
def test_english_sets_pass_for_english(shared, name, most):
    texts = texts_of(shared / "data" / name)
    thousands = [texts[start : start + 1000] for start in range(0, len(texts), 1000)]
    assert max(map(foreign, thousands)) == most


def texts_of(path):
    unpack = gzip.open if path.suffix == ".gz" else open
    with unpack(path, "rt", encoding="latin-1" if ".all" in path.name else "utf-8-sig") as file:
        if path.suffix == ".csv":
            return [row["Question"] for row in csv.DictReader(file)]
        if ".json" in path.name:
            return [row["question"] for row in json.load(file)]
        return [line.partition(" ")[2].strip() for line in file]
