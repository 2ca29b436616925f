"""Demonstrations in a real browser: import, search, edit, tag, exclude, delete, each undone."""

import json
import re
from urllib.parse import urlencode

from playwright.sync_api import expect

from tests.browser.driver import (
    a_run,
    edit_cell,
    finish,
    grid,
    reload,
    settle,
    tables,
    until,
    visit,
)
from tests.browser.pools import PAIRS
from tests.browser.table_page import (
    ANSWER,
    column,
    expect_after_reload,
    expect_column,
    expect_on_offer,
    expect_saved,
    press,
    search_for,
    tick_rows,
    to_section,
    undo,
    upload,
)

COUNTS = (
    "4 demonstrations, {} of them excluded; 3 queries; 6 triples of a query with a correct and an "
    "incorrect answer"
)
MARKUP = "**bold** <script>alert(1)</script> $x^2$"
LINK = ":red[answer] <img src=x onerror=alert(2)> [a](http://b.c)"


def lines(*rows):
    return "\n".join(rows).encode()


def import_as_new(page, pool, count):
    """Import the chosen file as a pool of this name."""
    name = page.get_by_test_id("stMain").get_by_role("textbox", name="Pool")
    name.fill(pool)
    name.press("Enter")
    page.get_by_role("button", name="Import as a new pool").click()
    expect(page.get_by_text(f"{count} demonstrations were added to {pool}")).to_be_visible()
    finish(page)


def test_a_csv_file_is_previewed_and_imported_with_its_numbers(open_pool, untouched):
    page, _ = open_pool("searched", section="import")
    rows = (
        "query,answer,incorrect,tags",
        'Is the sky blue?,"[""Yes."", ""By day.""]","[""No."", ""Never."", ""Green.""]",sky',
        "Is grass red?,No.,Yes.,",
        "Is the sky blue? ,Yes.,No.,sky",
        ",Lost.,No.,",
    )
    upload(page, "colours.csv", lines(*rows))
    text = "They become 3 demonstrations of 2 queries, with 7 triples; the first ones:"
    expect(page.get_by_text(text)).to_be_visible()
    expect(page.get_by_text("The first of 4 rows of the file (csv, utf-8)")).to_be_visible()
    expect(tables(page)).to_have_count(2)
    expect_column(page, "answer", ['["Yes.", "By day."]', "No.", "Yes."])
    becomes = [
        ("Is the sky blue?", "Yes.", "No.,Never.,Green."),
        ("Is the sky blue?", "By day.", "No.,Never.,Green."),
        ("Is grass red?", "No.", "Yes."),
    ]
    names = ("query", "answer", "incorrect answers")
    until(
        page,
        lambda: [tuple(row[name] for name in names) for row in grid(tables(page).last)],
        becomes,
    )

    pool = untouched("colours of things")
    import_as_new(page, pool, 3)
    figures = [figure.split("\n") for figure in page.get_by_test_id("stMetric").all_inner_texts()]
    assert {lines[0]: lines[-1] for lines in figures} == {
        "Demonstrations added": "3",
        "Queries in the file": "2",
        "Triples in the file": "7",
    }
    expect(
        page.get_by_text("1 that repeats an earlier row, 1 left out (1 x empty query).")
    ).to_be_visible()
    assert f"pool={pool.replace(' ', '+')}" in page.url
    expect_on_offer(page, f"{pool} (", [f"{pool} (3)"])
    to_section(page, "Table")
    expect_column(page, "answer", ["Yes.", "By day.", "No."])
    expect_after_reload(page, "tags", ["sky", "sky", ""])


def test_what_an_import_warns_of_is_named_and_linked(open_pool, untouched):
    page, _ = open_pool("searched", section="import")
    rows = (
        "query,answer,incorrect",
        "Is ice warm?,No.,No.",
        "Is snow white?,Yes.,No.",
        "Is snow\u200b white?,No.,Never.",
        "Is soot white?,No.,Yes.",
    )
    upload(page, "odd.csv", lines(*rows))
    import_as_new(page, untouched("odd"), 4)
    sentence = "Answers that are also among their own incorrect answers: 1; they were kept"
    expect(page.get_by_text(sentence)).to_be_visible()
    expect(tables(page)).to_have_count(2)
    found = [["1", "Is ice warm?", "No.", "1"], ["3", "Is snow\u200b white?", "No.", "2"]]
    until(
        page,
        lambda: [list(row.values())[:-1] for table in tables(page).all() for row in grid(table)],
        found,
    )
    (contradicted,) = grid(tables(page).last)
    with a_run(page):
        page.get_by_role("button", name="Show this one in the table").last.click()
    expect(page.get_by_text("Only this one demonstration")).to_be_visible()
    expect_column(page, "query", ["Is snow\u200b white?"])
    assert f"ids={contradicted['id']}" in page.url
    expect_after_reload(page, "answer", ["No."])
    with a_run(page):
        page.get_by_role("button", name="Show all").click()
    expect(page.get_by_text("Only this one demonstration")).to_have_count(0)
    expect_column(page, "answer", ["No.", "Yes.", "No.", "No."])
    assert "ids=" not in page.url


def test_a_wrong_file_gives_one_sentence_and_no_pool(open_pool):
    page, _ = open_pool("searched", section="import")
    upload(page, "picture.csv", b"%PDF-1.4\x00\x01\xff\xfe\x00")
    expect(page.get_by_test_id("stAlert")).to_have_text(
        "error"  # the icon
        "picture.csv is not a text file but looks like PDF: rename it, name its format, or save it "
        "as CSV (UTF-8).",
    )
    settle(page)
    expect(page.get_by_role("button", name="Import as a new pool")).to_have_count(0)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    reload(page)
    expect_on_offer(page, "picture", [])


def test_a_sentence_shows_entities_as_they_are_written(open_pool):
    page, _ = open_pool("searched", section="import")
    upload(page, "escaped.csv", lines("query,answer", "Who wrote &quot;Heat&quot;?,S &amp; L"))
    sentence = "Texts and tags with escaped letters, such as &quot;: 2; they are kept as written"
    expect(page.get_by_text(sentence)).to_be_visible()


def test_leaks_are_counted_and_the_switch_leaves_them_out(app, window, untouched):
    link = {"pool": untouched("leaky"), "rows": "none;rel", "k": 3, "limit": 4}
    page = window(f"{app.url}/compare?{urlencode(link)}")
    finish(page)
    compare = page.get_by_role("button", name="Compare", exact=True)
    compare.click()
    found = page.get_by_text("Leaks: with rel, in 4 of 4 examples the context gives")
    expect(page.get_by_role("button", name="Download report")).to_be_visible()
    finish(page)
    expect(found).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("^rel")).first).to_contain_text("4of 4")
    page.get_by_role("button", name="More").click()
    with a_run(page):
        page.get_by_test_id("stPopoverBody").get_by_text("Leave out leaks").click()
    assert "leaks=out" in page.url
    page.keyboard.press("Escape")
    compare.click()
    expect(page.get_by_text("seed 0, leaks left out").first).to_be_visible()
    finish(page)
    expect(found).to_have_count(0)


def test_search_finds_letter_for_letter_and_stands_in_the_link(open_pool):
    page, ids = open_pool("searched")
    expect_column(page, "id", ids)
    search_for(page, "ICE")
    expect(page.get_by_text("1 to 1 of 1")).to_be_visible()
    expect_column(page, "id", ids[2:3])
    assert "search=ICE" in page.url
    expect_after_reload(page, "query", ["Is ice cold?"])
    search_for(page, "never")
    expect_column(page, "id", ids[:2])
    search_for(page, "%")
    expect(page.get_by_text("No demonstration matches the filters.")).to_be_visible()


def test_an_edited_cell_is_saved_and_undone(open_pool):
    page, ids = open_pool("edited")
    before = [pair.answer for pair in PAIRS]
    expect_column(page, "answer", before)
    expect(page.get_by_role("button", name="Save")).to_have_count(0)
    edit_cell(page, 3, ANSWER, "Hotter than $2$ *suns*.")
    edited = ["Yes.", "It is.", "Yes, ice is cold.", "Hotter than $2$ *suns*."]
    expect_column(page, "answer", edited)
    what = f"answer of demonstration {ids[3]}"
    expect_saved(page, what)
    second, _ = open_pool("edited")
    expect_column(second, "answer", edited)
    undo(page, f"edited the {what}.")
    expect_column(page, "answer", before)
    expect_after_reload(second, "answer", before)
    expect_column(second, "id", ids)


def test_a_tag_is_given_to_what_is_ticked_and_taken_back(open_pool):
    page, _ = open_pool("tagged")
    before = ["water", "water", "water,cold", "fire"]
    expect_column(page, "tags", before)
    tick_rows(page, 0, 3)
    choice = page.get_by_role("combobox", name="Tag", exact=True)
    with a_run(page):
        choice.fill("to check")
        choice.press("Enter")
    press(page, "Add tag", "Tagged 2 demonstrations 'to check'.")
    tagged = ["water,to check", "water", "water,cold", "fire,to check"]
    expect_column(page, "tags", tagged)
    undo(page, "tagged 2 demonstrations 'to check'.")
    expect_column(page, "tags", before)
    expect_after_reload(page, "tags", before)


def test_exclusion_is_counted_and_undone(open_pool):
    page, _ = open_pool("excluded")
    expect(page.get_by_text(COUNTS.format(0))).to_be_visible()
    tick_rows(page, 1, 2)
    press(page, "Exclude", "Excluded 2 demonstrations.")
    expect_column(page, "status", ["included", "excluded", "excluded", "included"])
    expect(page.get_by_text(COUNTS.format(2))).to_be_visible()
    undo(page, "excluded 2 demonstrations.")
    expect_column(page, "status", ["included"] * 4)
    expect(page.get_by_text(COUNTS.format(0))).to_be_visible()
    expect_after_reload(page, "status", ["included"] * 4)


def test_deletion_asks_once_more_and_is_undone(open_pool):
    page, ids = open_pool("deleted")
    expect_column(page, "id", ids)
    tick_rows(page, 1)
    question = page.get_by_text("Delete 1 demonstration? Undo brings them back.")
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(question).to_be_visible()
    page.get_by_role("button", name="Keep").click()
    expect(question).to_have_count(0)
    settle(page)
    expect(page.get_by_text(COUNTS.format(0))).to_be_visible()
    assert column(page, "id") == ids
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(question).to_be_visible()
    press(page, "Yes, delete", "Deleted 1 demonstration.")
    expect_column(page, "id", [ids[0], *ids[2:]])
    undo(page, "deleted 1 demonstration.")
    expect_column(page, "id", ids)
    expect_after_reload(page, "id", ids)


def history(page):
    """What was done, newest first: the words, by whom, and the way back."""
    rows = page.get_by_test_id("stMain").get_by_test_id("stHorizontalBlock").all_inner_texts()
    lines = [[line for line in row.split("\n") if line] for row in rows]
    return [[*line[0].split(" · ")[1:], line[-1]] for line in lines if line and line[0][:2] == "20"]


DONE = [
    ["included 1 demonstration", "you", "Undo"],
    ["excluded 4 demonstrations", "you", "Undo"],
    ["import", "you", "Undo"],
]
UNDONE = [
    ["undo: excluded 4 demonstrations", "you", "Redo"],
    ["undo: included 1 demonstration", "you", "Redo"],
    ["included 1 demonstration", "you", "undone"],
    ["excluded 4 demonstrations", "you", "undone"],
    ["import", "you", "Undo"],
]


def test_history_lists_the_actions_and_undoes_them_in_their_order(open_pool):
    page, _ = open_pool("remembered")
    with a_run(page):
        page.get_by_text("All that match the filters", exact=True).click()
    press(page, "Exclude", "Excluded 4 demonstrations.")
    expect_column(page, "status", ["excluded"] * 4)
    tick_rows(page, 0)  # which chooses the ticked ones
    press(page, "Include", "Included 1 demonstration.")
    to_section(page, "History")
    until(page, lambda: history(page), DONE)
    reload(page)
    until(page, lambda: history(page), DONE)

    page.get_by_role("button", name="Undo").nth(1).click()
    expect(page.get_by_test_id("stAlert")).to_contain_text("changed")
    settle(page)
    assert history(page) == DONE
    page.get_by_role("button", name="Undo").first.click()
    until(page, lambda: history(page), [UNDONE[1], UNDONE[2], *DONE[1:]])
    settle(page)
    page.get_by_role("button", name="Undo").first.click()
    until(page, lambda: history(page), UNDONE)
    to_section(page, "Table")
    expect_column(page, "status", ["included"] * 4)


def test_markup_in_the_data_is_shown_as_text(app, open_pool, untouched):
    page, _ = open_pool("searched", alone=True, section="import")
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    rows = ("query,answer,incorrect", f"{MARKUP},{LINK},`wrong`", "Is ice cold?,Yes it is.,No.")
    upload(page, "markup.csv", lines(*rows))
    expect(page.get_by_text("They become 2 demonstrations of 2 queries")).to_be_visible()
    pool = untouched("markup")
    import_as_new(page, pool, 2)
    to_section(page, "Table")
    expect_column(page, "query", [MARKUP, "Is ice cold?"])
    expect_column(page, "answer", [LINK, "Yes it is."])

    visit(page, f"{app.url}/explore?{urlencode({'pool': pool, 'query': 'Is ice cold?'})}")
    row = page.locator(".chosen .row")
    expect(row).to_have_count(1)
    expect(row).to_contain_text(MARKUP)
    expect(row).to_contain_text(LINK)
    of_markup = urlencode({"pool": pool, "query": MARKUP, "view": "answers"})
    visit(page, f"{app.url}/explore?{of_markup}")
    chosen = page.get_by_role("combobox", name="Evaluation example")
    expect(chosen).to_have_value(MARKUP)
    answers = page.get_by_role("row").filter(has_text="correct")
    expect(answers.filter(has_text=LINK)).to_have_count(1)
    expect(answers.filter(has_text="`wrong`")).to_have_count(1)
    finish(page)
    assert page.locator("img[src=x], .katex, a[href='http://b.c']").count() == 0
    assert dialogs == []


PRIMER = {
    "source": "written for this test",
    "licence": "none needed",
    "pairs": [
        {"question": "How many sides has a square?", "answer": "A square has four sides."},
        {"question": "Is snow black?", "answer": "Snow is white."},
        {"question": "Who lives in a hive?", "answer": "Bees live in a hive."},
    ],
}


def test_a_primer_is_imported_named_and_shown_by_fix_in_its_order(open_pool, app, untouched):
    page, _ = open_pool("primed", section="import")
    pool = untouched("primed")
    upload(page, "primer.json", json.dumps(PRIMER).encode())
    text = "They become 3 demonstrations of 3 queries, with 0 triples; the first ones:"
    expect(page.get_by_text(text)).to_be_visible()
    name = page.get_by_test_id("stMain").get_by_label("Pool", exact=True)
    name.fill(pool)
    name.press("Enter")
    page.get_by_role("button", name="Add to the pool").click()
    expect(page.get_by_text(f"3 demonstrations were added to {pool}")).to_be_visible()
    finish(page)

    to_section(page, "Table")
    queries = [pair["question"] for pair in PRIMER["pairs"]]
    expect_column(page, "query", [*(draft.query for draft in PAIRS), *queries])
    tick_rows(page, 6, 4, 5)
    press(page, "Use as fixed", "The method fix now shows these 3.")
    to_section(page, "Fixed")
    shown = page.get_by_test_id("stMain").get_by_test_id("stText")
    numbered = [f"Q: {pair['question']}\nA: {pair['answer']}" for pair in PRIMER["pairs"]]
    until(page, lambda: [t for t in shown.all_inner_texts() if t.startswith("Q: ")], numbered)

    link = urlencode({"pool": pool, "method": "fix", "query": "Is fire hot?", "k": 6})
    visit(page, f"{app.url}/explore?{link}")
    context = page.locator("table.explore.context").first
    expect(context).to_be_visible()
    finish(page)
    text = context.inner_text()
    places = [text.index(query) for query in queries]
    assert places == sorted(places)
    assert not any(draft.query in text for draft in PAIRS)
