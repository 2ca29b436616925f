"""The commands `embed`, `quality` and `retrieve`: one context, and the parts of each pick."""

import json
import re

import pytest

from core.commands.main import main
from core.retrieval.choosing import METHODS
from tests.support.commands import ROWS, refused


def test_embedding_again_reuses_everything(run, pool):
    first = run("embed", "--pool", pool)
    assert (first["embedded"], first["reused"], first["dimensions"]) == (7, 0, 384)
    again = run("embed", "--pool", pool)
    assert (again["embedded"], again["reused"]) == (0, 7)


@pytest.fixture
def odd_pool(tmp_path, capsys):
    """Texts that agree within the encoder's window, and some that it has no letters for."""
    long = "the quay and the bells and the grain and the boats " * 24
    queries = [f"{long}: {end}?" for end in ("who", "what", "when")]
    queries += ["食堂几点开门？", "打印机没有反应？"]
    rows = [{"query": query, "answer": f"answer {at}"} for at, query in enumerate(queries)]
    path = tmp_path / "odd.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["import", str(path), "--pool", "odd"]) == 0
    capsys.readouterr()
    return long


@pytest.mark.thorough
def test_embed_and_retrieve_say_what_the_encoder_does_not_read(run, odd_pool, capsys):
    for _ in range(2):  # also where everything is embedded already
        found = run("embed", "--pool", "odd")
        assert (found["cut"], found["unread"], found["foreign"]) == ([1, 2, 3], 0.4, 0.4)
        cut, unread = found["notes"]
        assert cut.startswith("3 queries are longer than the encoder's window")
        assert unread.startswith("This encoder does not read these texts: in 40 % of the queries")
    assert main(["embed", "--pool", "odd"]) == 0
    printed = capsys.readouterr().out
    assert printed.endswith(f"{cut}\n{unread}\n")
    asked = ("retrieve", "--pool", "odd", "--query", f"{odd_pool}: when?", "--method", "rel")
    found = run(*asked)
    nearest = [pick["relevance"] for pick in found["demonstrations"][:3]]
    assert nearest == pytest.approx([1.0] * 3)
    assert max(nearest) <= 1
    assert found["doubts"] == {
        "asked": 6, "chosen": 5, "query_cut": True, "cut": [1, 2, 3], "query_unread": False,
        "same_embedding": [1, 2, 3], "without_word": [], "same_query": 0,
        "labels_left_out": [],
    }  # fmt: skip
    assert found["notes"][0] == "5 of 6: there are no more that may be chosen."
    assert found["notes"][-1].startswith("3 of these (ranks 1, 2, 3) have the same embedding as")
    assert main([*asked]) == 0
    assert capsys.readouterr().out.endswith("\n".join(found["notes"]) + "\n")


@pytest.mark.thorough
def test_another_encoder_is_named_for_a_pool_that_is_not_english(run, tmp_path, capsys):
    queries = ("Wo ist mein Paket?", "Wie ändere ich mein Passwort?", "Kündigen Sie mein Abo.")
    path = tmp_path / "post.jsonl"
    rows = [json.dumps({"query": query, "answer": "Ja"}) for query in queries]
    path.write_text("\n".join(rows), encoding="utf-8")
    assert main(["import", str(path), "--pool", "post"]) == 0
    capsys.readouterr()
    found = run("embed", "--pool", "post")
    assert (found["unread"], found["foreign"], found["dimensions"]) == (0.0, 1.0, 384)
    (note,) = found["notes"]
    assert "most often in German" in note
    assert "Choose --encoder use-multilingual-v3, an encoder for sixteen languages, or" in note
    other = ("--pool", "post", "--encoder", "use-multilingual-v3")
    found = run("embed", *other)
    assert (found["encoder"], found["dimensions"]) == ("use-multilingual-v3", 512)
    assert (found["foreign"], found["notes"]) == (0.0, [])
    asked = ("retrieve", *other, "--query", "Please end my subscription", "-k", "1", "--method")
    assert run(*asked, "rel")["demonstrations"][0]["query"] == "Kündigen Sie mein Abo."
    assert main([*asked, "coverage"]) == 2
    assert capsys.readouterr().err.endswith(
        "The encoder use-multilingual-v3 has no vectors of tokens, only of whole texts; choose "
        "another encoder, or a method that compares whole texts.\n"
    )


def test_an_index_fetches_k_at_least_and_bm25_says_when_no_word_is_shared(run, kept):
    common = ("retrieve", "--pool", kept, "--query", "zebra")
    found = run(*common, "--method", "rel", "--index", "hnsw", "--candidates", "2", "-k", "6")
    assert len(found["demonstrations"]) == found["doubts"]["chosen"] == 6
    many = run(*common, "--method", "rel", "--index", "hnsw", "--candidates", "2", "-k", "40")
    assert many["notes"][0] == "10 of 40: there are no more that may be chosen."
    words = run(*common, "--method", "bm25")
    assert words["notes"][0].startswith("No demonstration shares a word with the query")


def test_one_answer_per_query_on_request(run, kept, tiny_lm_folder):
    common = ("--pool", kept, "--query", ROWS[0][0])
    both = run("retrieve", *common, "--method", "rel", "-k", "3")
    assert [pick["query"] for pick in both["demonstrations"][:2]] == [ROWS[0][0]] * 2
    assert both["notes"] == ["2 of 3 answer the same query."]
    one = run("retrieve", *common, "--method", "rel", "-k", "3", "--one-per-query")
    queries = [pick["query"] for pick in one["demonstrations"]]
    assert (len(queries), len(set(queries)), one["notes"]) == (3, 3, [])
    pieces = run("path", *common, "-k", "9", "--lambda-b", "1", "--one-per-query")["pieces"]
    assert {len(piece["ids"]) for piece in pieces} == {len(ROWS)}
    compared = run(
        "evaluate", "--pool", kept, "--methods", "none,rel", "--limit", "2", "-k", "9",
        "--model", tiny_lm_folder, "--one-per-query",
    )  # fmt: skip
    assert compared["methods"]["rel"]["request"]["one_per_query"] is True
    assert compared["methods"]["rel"]["doubts"] == {"too_few": 2}
    assert "doubts" not in compared["methods"]["none"]


def test_retrieve_names_the_candidates_the_text_compared_and_the_methods_own_knobs(
    run, kept, tiny_lm_folder, capsys
):
    asked = ("retrieve", "--pool", kept, "--query", "Can dogs see?", "-k", "2")
    found = run(*asked, "--method", "rel")
    assert (found["candidates"], found["embed"], found["own"]) == (0, "query", {})
    settings = ("--method", "votek", "--candidates", "5", "--embed", "query+answer", "--neighbours")
    found = run(*asked, *settings, "3")
    assert (found["candidates"], found["embed"]) == (5, "query+answer")
    assert found["own"] == {"neighbours": 3}
    assert main([*asked, *settings, "3"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"candidates +5\n", printed)
    assert re.search(r"embed +query\+answer\n", printed)
    assert re.search(r"neighbours +3\n", printed)


@pytest.mark.parametrize("method", ["fix", "random", "bias"])
def test_candidates_that_a_method_does_not_use_are_named(run, kept, tiny_lm_folder, method, capsys):
    of_method = ("--pool", kept, "--method", method, "-k", "2", "--model", tiny_lm_folder)
    asked = (*of_method, "--query", "Can dogs see?")
    said = f"{method} does not choose by similarity and ignores the 1 candidate asked for."

    def retrieved(*more):
        assert main(["retrieve", *map(str, asked), *more, "--json"]) == 0
        printed = capsys.readouterr()
        return json.loads(printed.out)["demonstrations"], said in printed.err

    plain, _ = retrieved()
    assert retrieved() == (plain, False)
    assert retrieved("--candidates", "1") == (plain, True)
    compared = ("--pool", kept, "--methods", f"{method},rel", "-k", "2", "--candidates", "1")
    assert main(["evaluate", *compared, "--model", str(tiny_lm_folder)]) == 0
    assert said in capsys.readouterr().out


def test_quality_again_reuses_everything(run, pool, tiny_lm_folder):
    first = run("quality", "--pool", pool, "--model", tiny_lm_folder)
    assert (first["scored"], first["reused"], first["model"]) == (10, 0, tiny_lm_folder.name)
    again = run("quality", "--pool", pool, "--model", tiny_lm_folder)
    assert (again["scored"], again["reused"]) == (0, 10)


OF_NO_RUN = [name for name, each in METHODS.items() if not each.reads and name != "neighbours"]


@pytest.mark.parametrize("method", OF_NO_RUN)
def test_retrieve_shows_each_picks_parts(run, kept, tiny_lm_folder, method):
    found = run(
        "retrieve", "--pool", kept, "--query", "Can dogs see in the dark?", "--method", method,
        "-k", "3", "--model", tiny_lm_folder,
    )  # fmt: skip
    assert found["method"] == method
    picks = found["demonstrations"]
    assert len(picks) == (0 if method == "none" else 3)
    for pick in picks:
        assert {"id", "query", "answer", "relevance", "quality_bias", "redundancy", "value"} <= set(
            pick
        )
    if method == "rel":
        assert picks[0]["query"] == "Can cats see in the dark?"
        assert picks[0]["redundancy"] is None
        assert picks[0]["value"] == pytest.approx(picks[0]["relevance"], abs=1e-6)
    if method == "none":
        assert found["diversity"] is None


def test_a_query_of_the_pool_is_not_left_out_by_hand(run, kept):
    found = run("retrieve", "--pool", kept, "--query", ROWS[0][0], "--method", "rel", "-k", "2")
    assert [pick["query"] for pick in found["demonstrations"]] == [ROWS[0][0]] * 2


def test_an_index_with_all_candidates_gives_the_same(run, kept):
    common = ("retrieve", "--pool", kept, "--query", "Is ice a liquid?", "--method", "rel+div")
    exact = run(*common)
    fetched = run(*common, "--index", "flat", "--candidates", "50")
    assert exact["exact"]
    assert fetched["demonstrations"] == exact["demonstrations"]
    assert exact["selection"]["kind"] == fetched["selection"]["kind"] == "exact"
    graph = run(*common, "--index", "hnsw", "--candidates", "50")
    assert not graph["exact"]
    assert graph["selection"]["kind"] == "approximate"
    assert 0 < graph["selection"]["recall"] <= 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--pool", "smal", "--query", "x", "--method", "rel"], "small"),
        (["--pool", "small", "--query", "x", "--method", "mmr"], "(choose from 'none', 'random', "),
        (["--pool", "small", "--query", "  ", "--method", "rel"], "query is empty"),
        (["--pool", "small", "--query", "x", "--method", "rel", "-k", "0"], "from 1"),
        (["--pool", "small", "--query", "x", "--method", "rel", "-k", "two"], "from 1"),
        (
            ["--pool", "small", "--query", "x", "--method", "rel", "--lambda-d", "1.5"],
            "from 0 to 1",
        ),
        (
            ["--pool", "small", "--query", "x", "--method", "rel", "--lambda-d", "nan"],
            "from 0 to 1",
        ),
        (
            ["--pool", "small", "--query", "x", "--method", "rel", "--template", "best"],
            "choose one of qa, qa-instruction",
        ),
        (["--query", "x", "--method", "rel"], "--pool"),
        (
            ["--pool", "small", "--query", "x", "--method", "rel", "--encoder", "/no/encoder"],
            "/no/encoder",
        ),
    ],
)
def test_mistakes_of_retrieve(capsys, kept, arguments, complaint):
    assert complaint in refused(capsys, "retrieve", *arguments)


def test_mistakes_with_models(capsys, kept, tmp_path):
    empty = tmp_path / "empty-folder"
    empty.mkdir()
    for model in ("/no/such/model", empty):
        assert str(model) in refused(capsys, "quality", "--pool", kept, "--model", model)
