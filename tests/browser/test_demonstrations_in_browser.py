"""Demonstrations in a real browser: import, search, edit, tag, exclude, delete, each undone."""

import json
import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from core.incorrect import incorrect_answers
from core.store import Store
from core.types import Draft
from tests.browser.driver import (
    TICK_PLACE,
    click_row,
    edit_cell,
    grid,
    settle,
    start_app,
    stop_app,
    tables,
    until,
    visit,
)

ANSWER = 4
"""Its column in the table."""

PAIRS = (
    Draft("Is water wet?", "Yes.", incorrect_answers(("No.", "Never.")), ("water",), best=True),
    Draft("Is water wet?", "It is.", incorrect_answers(("No.", "Never.")), ("water",)),
    Draft("Is ice cold?", "Yes, ice is cold.", incorrect_answers(("No.",)), ("water", "cold")),
    Draft("Is fire hot?", "Very.", incorrect_answers(("Not at all.",)), ("fire",)),
)
LEAKY = "leaky"
LEAKS = [
    *(
        Draft(f"Is {thing} hot?", f"It is, says the {thing}.", incorrect_answers(("No.",)))
        for thing in ("tea", "ice")
    ),
    *(
        Draft(f"Hot {thing}?", f"it is, says the {thing}.", incorrect_answers(("No.",)))
        for thing in ("tea", "ice")
    ),
]
POOLS = ("searched", "edited", "tagged", "excluded", "deleted", "remembered", "primed")
COUNTS = (
    "4 demonstrations, {} of them excluded; 3 queries; 6 triples of a query with a correct and an "
    "incorrect answer"
)
MARKUP = "**bold** <script>alert(1)</script> $x^2$"
LINK = ":red[answer] <img src=x onerror=alert(2)> [a](http://b.c)"


@pytest.fixture(scope="module")
def ids(tmp_path_factory):
    """The workspace, filled with the same pool under many names, and the ids in each."""
    workspace = tmp_path_factory.mktemp("demonstrations") / "workspace"
    with Store.open(workspace) as store:
        found = {
            name: store.demonstrations.add(store.pools.create(name).id, PAIRS).ids for name in POOLS
        }
        store.demonstrations.add(store.pools.create(LEAKY).id, LEAKS)
    return workspace, found


@pytest.fixture(scope="module")
def app(ids, roomy_model):
    running = start_app(ids[0], roomy_model)
    yield running
    stop_app(running)


@pytest.fixture
def open_pool(app, ids, window):
    """Opens the page on a pool; gives its window and the ids of its four demonstrations."""

    def opened(name, *, alone=False, **link):
        address = f"{app.url}/demonstrations?{urlencode({'pool': name, **link})}"
        page = window(address, alone=alone)
        return page, [str(id) for id in ids[1].get(name, [])]

    return opened


def column(page, name):
    """The texts of a column of the first table on the screen."""
    return [row[name] for row in grid(tables(page).first)] if tables(page).count() else []


def expect_column(page, name, wanted):
    until(page, lambda: column(page, name), list(wanted))


def after_reload(page, name):
    """A column as a new visit shows it."""
    page.reload()
    expect(tables(page).first).to_be_visible(timeout=60_000)
    settle(page)
    return column(page, name)


def press(page, button, done):
    """Press a button and wait for the words that say what it did."""
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.get_by_test_id("stAlert")).to_contain_text(done, timeout=60_000)
    settle(page)


def undo(page, done):
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_test_id("stAlert")).to_contain_text(f"Undo: {done}", timeout=60_000)
    settle(page)


def tick(page, *rows):
    for row in rows:
        click_row(page, row, TICK_PLACE)
        until(page, lambda row=row: column(page, "")[row : row + 1], ["true"])
    expect(page.get_by_text(f"{len(rows)} ticked here")).to_be_visible(timeout=30_000)
    settle(page)


def turn_to_section(page, name):
    page.get_by_role("radio", name=name).click()
    settle(page)


def upload(page, name, content):
    page.set_input_files(
        "input[type=file]", {"name": name, "mimeType": "text/csv", "buffer": content}
    )


def pools_on_offer(page):
    page.get_by_test_id("stSidebar").get_by_role("combobox", name="Pool").click()
    expect(page.get_by_role("option").first).to_be_visible()
    names = page.get_by_role("option").all_inner_texts()
    page.keyboard.press("Escape")
    settle(page)
    return names


def test_a_csv_file_is_previewed_and_imported_with_its_numbers(open_pool):
    page, _ = open_pool("searched", section="import")
    rows = (
        "query,answer,incorrect,tags",
        'Is the sky blue?,"[""Yes."", ""By day.""]","[""No."", ""Never."", ""Green.""]",sky',
        "Is grass red?,No.,Yes.,",
        "is the sky  blue?,Yes.,No.,sky",
        ",Lost.,No.,",
    )
    upload(page, "colours.csv", "\n".join(rows).encode())
    text = "They become 3 demonstrations of 2 queries, with 7 triples; the first ones:"
    expect(page.get_by_text(text)).to_be_visible(timeout=60_000)
    expect(page.get_by_text("The file's first rows, of 4 (csv, utf-8)")).to_be_visible()
    until(page, tables(page).count, 2)
    expect_column(page, "answer", ['["Yes.", "By day."]', "No.", "Yes.", "Lost."])
    becomes = grid(tables(page).last)
    assert [row["query"] for row in becomes] == ["Is the sky blue?"] * 2 + ["Is grass red?"]
    assert [row["answer"] for row in becomes] == ["Yes.", "By day.", "No."]
    assert [row["incorrect answers"] for row in becomes] == ["No.,Never.,Green."] * 2 + ["Yes."]

    page.get_by_role("textbox", name="Pool").fill("colours of things")
    page.keyboard.press("Enter")
    settle(page)
    page.get_by_role("button", name="Import as a new pool").click()
    expect(page.get_by_text("3 demonstrations were added to colours of things")).to_be_visible(
        timeout=60_000
    )
    settle(page)
    figures = [figure.split("\n") for figure in page.get_by_test_id("stMetric").all_inner_texts()]
    assert {lines[0]: lines[-1] for lines in figures} == {
        "Rows read": "4",
        "Pairs added": "3",
        "Already there": "0",
        "Queries in the file": "2",
        "Triples in the file": "7",
    }
    expect(page.get_by_text("Left out: 1 x double answer, 1 x empty query.")).to_be_visible()
    assert "pool=colours+of+things" in page.url
    assert "colours of things (3)" in pools_on_offer(page)
    turn_to_section(page, "Table")
    expect_column(page, "answer", ["Yes.", "By day.", "No."])
    assert after_reload(page, "tags") == ["sky", "sky", ""]


def test_what_an_import_warns_of_is_named_and_linked(open_pool):
    page, _ = open_pool("searched", section="import")
    rows = (
        "query,answer,incorrect",
        "Is ice warm?,No.,No.",
        "Is snow white?,Yes.,No.",
        "Is snow\u200b white?,No.,Never.",
        "Is soot white?,No.,Yes.",
    )
    upload(page, "odd.csv", "\n".join(rows).encode())
    page.get_by_role("button", name="Import as a new pool").click()
    expect(page.get_by_text("4 demonstrations were added to odd")).to_be_visible(timeout=60_000)
    settle(page)
    sentence = "Answers that are also among their own incorrect answers: 1; they were kept"
    expect(page.get_by_text(sentence)).to_be_visible()
    until(page, tables(page).count, 2)
    (own,), (contradicted,) = grid(tables(page).nth(0)), grid(tables(page).nth(1))
    assert list(own.values())[:-1] == ["1", "Is ice warm?", "No.", "1"]
    assert list(contradicted.values())[:-1] == ["3", "Is snow\u200b white?", "No.", "2"]
    odd = contradicted["id"]
    page.get_by_role("button", name="Show this one in the table").last.click()
    expect(page.get_by_text("Only this one demonstration")).to_be_visible(timeout=60_000)
    settle(page)
    expect_column(page, "query", ["Is snow\u200b white?"])
    assert f"ids={odd}" in page.url
    assert after_reload(page, "answer") == ["No."]
    page.get_by_role("button", name="Show all").click()
    expect(page.get_by_text("Only this one demonstration")).to_have_count(0)
    expect_column(page, "answer", ["No.", "Yes.", "No.", "No."])
    assert "ids=" not in page.url


def test_leaks_are_counted_and_the_switch_leaves_them_out(app, window):
    link = {"pool": LEAKY, "methods": "none,rel", "k": 3, "limit": 4}
    page = window(f"{app.url}/compare?{urlencode(link)}")
    page.get_by_role("button", name="Compare", exact=True, disabled=False).click(timeout=120_000)
    expect(page.get_by_text("Each example's own story")).to_be_visible(timeout=120_000)
    found = page.get_by_text("Leaks: with rel, in 4 of 4 examples the context gives")
    expect(found).to_be_visible(timeout=60_000)
    expect(page.get_by_role("row", name=re.compile("^rel")).first).to_contain_text("4of 4")
    settle(page)
    page.get_by_role("button", name="More").click()
    page.get_by_test_id("stPopoverBody").get_by_text("Leave out leaks").click()
    until(page, lambda: "leaks=out" in page.url, True)
    page.keyboard.press("Escape")
    settle(page)
    page.get_by_role("button", name="Compare", exact=True, disabled=False).click()
    expect(page.get_by_text("seed 0, leaks left out").first).to_be_visible(timeout=120_000)
    settle(page)
    expect(found).to_have_count(0)


def test_a_wrong_file_gives_one_sentence_and_no_pool(open_pool):
    page, _ = open_pool("searched", section="import")
    before = pools_on_offer(page)
    upload(page, "picture.csv", b"%PDF-1.4\x00\x01\xff\xfe\x00")
    expect(page.get_by_test_id("stAlert")).to_have_text(
        "error"  # the icon
        "picture.csv is not a text file but looks like PDF: rename it, name its format, or save it "
        "as CSV (UTF-8).",
        timeout=60_000,
    )
    expect(page.get_by_role("button", name="Import as a new pool")).to_have_count(0)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    page.reload()
    settle(page)
    assert pools_on_offer(page) == before


def test_search_finds_letter_for_letter_and_stands_in_the_link(open_pool):
    page, ids = open_pool("searched")
    expect_column(page, "id", ids)
    search = page.get_by_role("textbox", name="Search")
    search.fill("ICE")
    search.press("Enter")
    expect(page.get_by_text("1 to 1 of 1")).to_be_visible(timeout=30_000)
    expect_column(page, "id", ids[2:3])
    assert "search=ICE" in page.url
    assert after_reload(page, "query") == ["Is ice cold?"]
    search.fill("never")
    search.press("Enter")
    expect_column(page, "id", ids[:2])
    search.fill("%")
    search.press("Enter")
    expect(page.get_by_text("No demonstration matches the filters.")).to_be_visible(timeout=30_000)


def test_an_edited_cell_is_saved_and_undone(open_pool):
    page, ids = open_pool("edited")
    expect_column(page, "answer", [pair.answer for pair in PAIRS])
    expect(page.get_by_role("button", name="Save")).to_have_count(0)
    edit_cell(page, 3, ANSWER, "Hotter than $2$ *suns*.")
    edited = ["Yes.", "It is.", "Yes, ice is cold.", "Hotter than $2$ *suns*."]
    expect_column(page, "answer", edited)
    what = f"edited the answer of demonstration {ids[3]}."
    expect(page.get_by_test_id("stAlert")).to_contain_text(f"Saved: {what}")
    second, _ = open_pool("edited")
    expect_column(second, "answer", edited)
    undo(page, what)
    expect_column(page, "answer", [pair.answer for pair in PAIRS])
    assert after_reload(second, "answer") == [pair.answer for pair in PAIRS]
    assert column(second, "id") == ids


def test_a_tag_is_given_to_what_is_ticked_and_taken_back(open_pool):
    page, _ = open_pool("tagged")
    before = ["water", "water", "water,cold", "fire"]
    expect_column(page, "tags", before)
    tick(page, 0, 3)
    choice = page.get_by_role("combobox", name="Tag", exact=True)
    choice.click()
    choice.fill("to check")
    page.keyboard.press("Enter")
    settle(page)
    press(page, "Add tag", "Tagged 2 demonstrations 'to check'.")
    tagged = ["water,to check", "water", "water,cold", "fire,to check"]
    expect_column(page, "tags", tagged)
    undo(page, "tagged 2 demonstrations 'to check'.")
    expect_column(page, "tags", before)
    assert after_reload(page, "tags") == before


def test_exclusion_is_counted_and_undone(open_pool):
    page, _ = open_pool("excluded")
    expect(page.get_by_text(COUNTS.format(0))).to_be_visible(timeout=30_000)
    tick(page, 1, 2)
    press(page, "Exclude", "Excluded 2 demonstrations.")
    excluded = ["included", "excluded", "excluded", "included"]
    expect_column(page, "status", excluded)
    expect(page.get_by_text(COUNTS.format(2))).to_be_visible(timeout=30_000)
    undo(page, "excluded 2 demonstrations.")
    expect_column(page, "status", ["included"] * 4)
    expect(page.get_by_text(COUNTS.format(0))).to_be_visible(timeout=30_000)
    assert after_reload(page, "status") == ["included"] * 4


def test_deletion_asks_once_more_and_is_undone(open_pool):
    page, ids = open_pool("deleted")
    expect_column(page, "id", ids)
    tick(page, 1)
    question = page.get_by_text("Delete 1 demonstration? Undo brings them back.")
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(question).to_be_visible(timeout=30_000)
    page.get_by_role("button", name="Keep").click()
    expect(question).to_have_count(0, timeout=30_000)
    settle(page)
    assert column(page, "id") == ids
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(question).to_be_visible(timeout=30_000)
    press(page, "Yes, delete", "Deleted 1 demonstration.")
    left = [ids[0], *ids[2:]]
    expect_column(page, "id", left)
    undo(page, "deleted 1 demonstration.")
    expect_column(page, "id", ids)
    assert after_reload(page, "id") == ids


def history(page):
    """What was done, newest first: the words, by whom, and the way back."""
    rows = page.get_by_test_id("stMain").get_by_test_id("stHorizontalBlock").all_inner_texts()
    lines = [[line for line in row.split("\n") if line] for row in rows]
    return [line[1:] for line in lines if line[0][:2] == "20"]


def test_history_lists_the_actions_and_undoes_them_in_their_order(open_pool):
    page, _ = open_pool("remembered")
    expect_column(page, "status", ["included"] * 4)
    page.get_by_text("All that match the filters", exact=True).click()
    settle(page)
    press(page, "Exclude", "Excluded 4 demonstrations.")
    tick(page, 0)
    page.get_by_text("Ticked here", exact=True).click()
    settle(page)
    press(page, "Include", "Included 1 demonstration.")
    turn_to_section(page, "History")
    done = [
        ["included 1 demonstration", "you", "Undo"],
        ["excluded 4 demonstrations", "you", "Undo"],
        ["import", "you", "Undo"],
    ]
    until(page, lambda: history(page), done)
    page.reload()
    settle(page)
    until(page, lambda: history(page), done)

    page.get_by_role("button", name="Undo").nth(1).click()
    expect(page.get_by_test_id("stAlert")).to_contain_text("changed", timeout=30_000)
    settle(page)
    assert history(page) == done
    for _ in range(2):
        before = history(page)
        page.get_by_role("button", name="Undo").first.click()
        until(page, lambda before=before: len(history(page)), len(before) + 1)
        settle(page)
    assert history(page) == [
        ["undo: excluded 4 demonstrations", "you", "Redo"],
        ["undo: included 1 demonstration", "you", "Redo"],
        ["included 1 demonstration", "you", "undone"],
        ["excluded 4 demonstrations", "you", "undone"],
        ["import", "you", "Undo"],
    ]
    turn_to_section(page, "Table")
    expect_column(page, "status", ["included"] * 4)


def test_markup_in_the_data_is_shown_as_text(app, open_pool):
    page, _ = open_pool("searched", alone=True, section="import")
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    rows = ("query,answer,incorrect", f"{MARKUP},{LINK},`wrong`", "Is ice cold?,Yes it is.,No.")
    upload(page, "markup.csv", "\n".join(rows).encode())
    expect(page.get_by_text("They become 2 demonstrations of 2 queries")).to_be_visible(
        timeout=60_000
    )
    page.get_by_role("button", name="Import as a new pool").click()
    expect(page.get_by_text("2 demonstrations were added to markup")).to_be_visible(timeout=60_000)
    settle(page)
    turn_to_section(page, "Table")
    expect_column(page, "query", [MARKUP, "Is ice cold?"])
    expect_column(page, "answer", [LINK, "Yes it is."])

    visit(page, f"{app.url}/explore?{urlencode({'pool': 'markup', 'query': 'Is ice cold?'})}")
    pair = page.locator(".st-key-beside_tables_explore .pair")
    expect(pair).to_have_count(1, timeout=60_000)
    expect(pair).to_have_text(f"{MARKUP}{LINK}")
    visit(page, f"{app.url}/explore?{urlencode({'pool': 'markup', 'query': MARKUP})}")
    chosen = page.get_by_role("combobox", name="Evaluation example")
    expect(chosen).to_have_value(MARKUP, timeout=60_000)
    answers = page.get_by_role("row").filter(has_text="correct")
    expect(answers.filter(has_text=LINK)).to_have_count(1, timeout=60_000)
    expect(answers.filter(has_text="`wrong`")).to_have_count(1)
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


def test_a_primer_is_imported_named_and_shown_by_fix_in_its_order(open_pool, app):
    page, _ = open_pool("primed", section="import")
    upload(page, "primer.json", json.dumps(PRIMER).encode())
    text = "They become 3 demonstrations of 3 queries, with 0 triples; the first ones:"
    expect(page.get_by_text(text)).to_be_visible(timeout=60_000)
    page.get_by_test_id("stMain").get_by_label("Pool", exact=True).fill("primed")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Add to the pool").click()
    expect(page.get_by_text("3 demonstrations were added to primed")).to_be_visible(timeout=60_000)
    settle(page)

    turn_to_section(page, "Table")
    queries = [pair["question"] for pair in PRIMER["pairs"]]
    expect_column(page, "query", [*(draft.query for draft in PAIRS), *queries])
    tick(page, 6, 4, 5)
    press(page, "Use as fixed", "The method fix now shows these 3.")
    turn_to_section(page, "Fixed")
    shown = page.get_by_test_id("stMain").get_by_test_id("stText")
    numbered = [f"Q: {pair['question']}\nA: {pair['answer']}" for pair in PRIMER["pairs"]]
    until(page, lambda: [t for t in shown.all_inner_texts() if t.startswith("Q: ")], numbered)

    link = urlencode({"pool": "primed", "method": "fix", "query": "Is fire hot?", "k": 6})
    visit(page, f"{app.url}/explore?{link}")
    context = page.locator("table[class='explore context'], .explore.context").first
    expect(context).to_be_visible(timeout=60_000)
    told = context.inner_text()
    places = [told.index(query) for query in queries]
    assert places == sorted(places)
    assert not any(draft.query in told for draft in PAIRS)
