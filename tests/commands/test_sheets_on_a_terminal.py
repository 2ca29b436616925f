"""A sheet as lines: blocks, values by their names, tables that fold and tables that do not."""

from core.commands.printing import LINE, as_text
from core.interval import Interval
from core.reporting.tables.table import Column, Table, named, plain_table, records_table


def test_parts_of_a_block_are_close_together_and_blocks_apart():
    sheet = (("Title",), (plain_table(("a", "b"), [(1, 0.5)]), {"name": "x\ny", "on": True}))
    assert as_text(sheet) == ("Title\n\na  b\n-  -----\n1  0.500\nname  x\\ny\non    yes")


def test_values_are_written_as_cells():
    found = as_text(
        (({"none": None, "many": 1234, "ids": (1, 2), "map": {"a": 0.5, "b": None}, "no": ()},),)
    )
    assert found == "none  -\nmany  1,234\nids   1, 2\nmap   a: 0.500\nno    -"


def test_only_a_whole_table_has_lines_longer_than_a_terminals():
    columns = (Column("row"), *(Column(f"metric {number:02}", 1) for number in range(12)))
    rows = (("one", *[0.25] * 12), ("two", *[0.75] * 12))
    folded = as_text(((Table(columns, rows),),)).splitlines()
    assert max(map(len, folded)) <= LINE
    assert [line.split()[0] for line in folded if line] == 2 * ["row", "---", "one", "two"]
    whole = as_text(((Table(columns, rows, whole=True),),)).splitlines()
    assert len(whole) == 4
    assert len(whole[0]) > LINE


def test_records_give_their_fields_by_name():
    value = Interval(1.0, 0.5, 2.0, 7)
    assert named(value, "n", "mean") == {"n": 7, "mean": 1.0}
    assert records_table([value], ("n", "numbers")).rows == ((7, (1.0, 0.5, 2.0)),)
