"""An exporter registered from one file writes a pool, in the library and on the command line."""

import json

import pytest

from core.commands.main import main
from core.demonstration.demonstration import Draft
from core.errors import InvalidInput
from core.exporting import EXPORTERS, export_pool


class Cards:
    """A card for each demonstration: its query, then its answer behind an arrow."""

    name, extension, media_type = "cards", ".cards", "text/plain"

    def write(self, rows, path):
        cards = [f"{row.query} -> {row.answer}" for row in rows]
        path.write_text("\n".join(cards), encoding="utf-8")


@pytest.fixture
def cards(monkeypatch):
    monkeypatch.setitem(EXPORTERS, "cards", Cards())


DRAFTS = [Draft("Is it dark?", "Yes"), Draft("Is it 猫?", "No")]
WRITTEN = "Is it dark? -> Yes\nIs it 猫? -> No"


@pytest.mark.usefixtures("cards")
def test_it_writes_a_pool(store, tmp_path):
    store.demonstrations.add(store.pools.create("small").id, DRAFTS)
    report = export_pool(store, "small", "cards", tmp_path / "pool.cards")
    assert (report.rows, report.path.read_text(encoding="utf-8")) == (2, WRITTEN)


def test_the_command_offers_it_while_it_is_registered(capsys, tmp_path, monkeypatch, cards):
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "workspace"))
    file, out = tmp_path / "pool.jsonl", tmp_path / "pool.cards"
    rows = [{"query": draft.query, "answer": draft.answer} for draft in DRAFTS]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["import", str(file), "--pool", "small"]) == 0
    asked = ["export", "--pool", "small", "--format", "cards", "--out", str(out), "--json"]
    capsys.readouterr()
    assert main(asked) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 2
    assert out.read_text(encoding="utf-8") == WRITTEN
    monkeypatch.delitem(EXPORTERS, "cards")
    assert main(asked) == 2
    assert 'Unknown format "cards"' in capsys.readouterr().err


def test_what_is_not_registered_is_refused(store, tmp_path):
    store.demonstrations.add(store.pools.create("small").id, DRAFTS)
    with pytest.raises(InvalidInput, match="choose one of jsonl, json, csv"):
        export_pool(store, "small", "cards", tmp_path / "pool.cards")
