"""What a page shows as HTML."""


def html_of(part):
    """The pieces of HTML in a part of a page, but for the marks of its runs, which nobody sees."""
    bodies = [each.proto.body for each in part.get("html")]
    return [body for body in bodies if "data-runs" not in body and "data-waiting" not in body]


def show(app, view):
    """Compare with another view of its result, by the name of the view in the link."""
    app.button_group(key="compare_view").set_value(view).run()
    assert not app.exception, app.exception
    return app
