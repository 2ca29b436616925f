"""Everything that works around Streamlit, and nothing else: one file for each workaround.

Each file says what Streamlit does, which of its issues is about that ("none found" where we found
none), the version that the file was made for, and the test that shows when it can go. That test
shows what plain Streamlit does and fails as soon as Streamlit no longer does it: then delete the
workaround with its test. So look here first when Streamlit's version changes.

- `leaving`: what is being typed reaches the server before the page is left.
- `held_keys`: a key that is held down presses its button once.
- `dialogs`: a dialog begins in its first field, and Escape presses its button.
- `history`: a page that writes its view into its address adds no step to the history.
- `callbacks`: a callback is finished although another request has come.
- `first_document`: the document that the browser loads first has our title and style sheet, and
  names the scripts that every page needs.
- `widget_values`: the browser shows the value that a widget has on the server.
- `widget_keys`: a widget forgets what was typed into it.
- `kept_places`: a container is there before anything is in it.
- `style_sheets` with `styles/`: what the theme cannot set.

Nowhere else in `app.py` and `pages` may private names of Streamlit, functions of the browser that
are replaced, or the test ids and classes of Streamlit's elements occur;
`tests/test_architecture.py` fails on them. Classes that begin with `st-key-` are no workaround:
Streamlit documents them.
"""
