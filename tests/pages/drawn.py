"""What a page shows as HTML."""


def html_of(part):
    """The pieces of HTML in a part of a page, but for the marks of its runs, which nobody sees."""
    bodies = [each.proto.body for each in part.get("html")]
    return [body for body in bodies if "data-runs" not in body and "data-waiting" not in body]
