"""The templates: what is put into one stays text, and style sheets name colours that there are."""

import re
from pathlib import Path

import pytest
from jinja2 import Environment, UndefinedError
from markupsafe import Markup

import core.reporting.templates as templates
from core.reporting.figures import layout
from core.reporting.templates.rendering import macros, render, style_sheet

FOLDER = Path(templates.__file__).parent
DRAWN = {"label": "Effect", "unit": "nats", "value": "<b>1</b>", "explanation": '"quoted" & <i>'}


def test_a_text_stays_text_and_markup_stays_markup():
    table = render("text_table.html", head=["<b>"], rows=[["<i>"]], kinds=["text"])
    assert '<th scope="col" class="text">&lt;b&gt;</th>' in table
    assert '<td class="text">&lt;i&gt;</td>' in table
    bold = render("text_table.html", head=[Markup("<b>x</b>")], rows=[], kinds=["text"])
    assert '<th scope="col" class="text"><b>x</b></th>' in bold


def test_a_macro_escapes_as_well_also_in_attributes():
    drawn = macros("explore.html").figures_row([tuple(DRAWN.values())])
    assert drawn == (
        '<div class="explore-figures"><div title="&#34;quoted&#34; &amp; &lt;i&gt;">Effect'
        "<strong>&lt;b&gt;1&lt;/b&gt;</strong><small>nats</small></div></div>"
    )


def test_a_value_that_is_missing_is_no_empty_text():
    with pytest.raises(UndefinedError, match="head"):
        render("text_table.html", rows=[])


def test_no_template_turns_escaping_off_and_all_can_be_read():
    for path in FOLDER.glob("*.html"):
        text = path.read_text("utf-8")
        Environment().parse(text, path.name)
        assert not re.search(r"\|\s*safe\b|autoescape", text), path.name


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.css")))
def test_every_colour_that_a_style_sheet_names_is_there(name):
    defined = dict(re.findall(r"(--shotlist-[a-z]+): (#[0-9A-F]{6});", layout.VARIABLES))
    assert defined["--shotlist-chosen"] == layout.CHOSEN
    assert set(re.findall(r"var\((--shotlist-[a-z]+)\)", style_sheet(name))) <= set(defined)
