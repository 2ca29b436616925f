"""What was typed and not sent yet, in a real browser: there again after every other page."""

from playwright.sync_api import expect

from tests.browser.driver import a_run, finish, settle, turn_to, until
from tests.browser.table_page import to_section, upload

CSV = b"Frage,Antwort,Thema\nIs ice hot?,No.,cold\nIs ice cold?,Yes.,cold\n"


def main(page):
    return page.get_by_test_id("stMain")


def leave_and_come_back(page, away, home):
    turn_to(page, away)
    turn_to(page, home)


def opened(page, name, inside):
    """A place that stands in an expander, which is opened where it is closed."""
    place = main(page).get_by_label(inside, exact=True)
    if not place.is_visible():
        main(page).get_by_text(name, exact=True).click()
    expect(place).to_be_visible()
    return place


def test_what_was_typed_on_demonstrations_is_kept(open_pool):
    page, _ = open_pool("drafted")
    tag = page.get_by_role("combobox", name="Tag", exact=True)
    with a_run(page):
        tag.fill("to check")
        tag.press("Enter")
    opened(page, "Add one by hand", "Query").fill("Is it *kept*?")
    # Straight from the place where one types to another page: nothing was sent before the click.
    opened(page, "Add one by hand", "Answer").fill("It is,\nboth lines")
    leave_and_come_back(page, "Explore", "Demonstrations")
    to_section(page, "Import")
    to_section(page, "Table")
    expect(opened(page, "Add one by hand", "Query")).to_have_value("Is it *kept*?")
    expect(opened(page, "Add one by hand", "Answer")).to_have_value("It is,\nboth lines")
    expect(tag).to_have_value("to check")
    search = page.get_by_role("textbox", name="Find")
    search.fill("weather")
    leave_and_come_back(page, "Calibrate", "Demonstrations")
    expect(search).to_have_value("weather")
    until(page, lambda: "search=weather" in page.url, True)
    expect(opened(page, "Add one by hand", "Query")).to_have_value("Is it *kept*?")


def test_a_chosen_file_its_mapping_and_its_name_are_kept(open_pool, untouched):
    page, _ = open_pool("drafted", section="import")
    upload(page, "eis.csv", CSV)
    expect(page.get_by_text("Choose above which column has the query")).to_be_visible()
    settle(page)
    for label, option in (("Query", "Frage"), ("Correct answers", "Antwort"), ("Tags", "Thema")):
        main(page).get_by_role("combobox", name=label, exact=True).click()
        with a_run(page):
            page.get_by_role("option", name=option, exact=True).click()
        page.keyboard.press("Escape")
    pool = untouched("Winter")
    name = main(page).get_by_label("Pool", exact=True)
    name.fill(pool)
    becomes = page.get_by_text("They become 2 demonstrations of 2 queries")
    for leave in (
        lambda: leave_and_come_back(page, "Map", "Demonstrations"),
        lambda: (to_section(page, "Table"), to_section(page, "Import")),
    ):
        leave()
        expect(page.get_by_text("eis.csv is still chosen.")).to_be_visible()
        expect(becomes).to_be_visible()
        expect(name).to_have_value(pool)
    page.get_by_role("button", name="Import as a new pool").click()
    expect(page.get_by_text(f"2 demonstrations were added to {pool}")).to_be_visible()
    expect(page.get_by_text("is still chosen")).to_have_count(0)


def test_queries_answers_and_knobs_are_kept(app, window, untouched):
    page = window(f"{app.url}/explore?pool={untouched('drafted')}&from=typed&typed=weather&k=4")
    answers = main(page).get_by_role("textbox", name="Correct answers, one per line").first
    expect(answers).to_be_visible()
    finish(page)
    answers.fill("get_weather\nanother")
    turn_to(page, "Calibrate")
    main(page).get_by_role("spinbutton", name="k", exact=True).fill("3")
    turn_to(page, "Compare")
    examples = main(page).get_by_role("spinbutton", name="Examples")
    examples.fill("2")
    turn_to(page, "Explore")
    expect(answers).to_have_value("get_weather\nanother")
    expect(main(page).get_by_role("spinbutton", name="k", exact=True)).to_have_value("3")
    turn_to(page, "Map")
    query = main(page).get_by_role("textbox", name="Your query")
    expect(query).to_have_value("weather")
    finish(page)
    query.fill("send money")
    turn_to(page, "Compare")
    expect(examples).to_have_value("2")
    turn_to(page, "Map")
    expect(query).to_have_value("send money")
    finish(page)
    folded = "Find on the map, or select without the mouse"
    opened(page, folded, "Find").fill("id:1-3")
    leave_and_come_back(page, "Explore", "Map")
    expect(query).to_have_value("send money")
    expect(opened(page, "Find on the map, or select without the mouse", "Find")).to_have_value(
        "id:1-3"
    )
