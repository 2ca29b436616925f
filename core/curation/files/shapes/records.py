"""Records of question answering, tracing and annotation as rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..cells import texts_of
from ..grid import Cells, ShapedRows, beside, keys_beside
from .messages import ASSISTANT, messages_of, transcript, unread_in

_INPUTS = ("inputs", "input")
_OUTPUTS = (
    "outputs", "output", "reference_outputs", "expected_outputs", "expected_output",
    "expectedOutput", "expected",
)  # fmt: skip


def squad(rows: Sequence[Cells]) -> ShapedRows | None:
    """A row a question: its passage and the question, on a line each, with its distinct answers."""
    articles = [row for row in rows if set(row) != {"header"}]  # the first line of some data sets
    if not articles or not all(
        any(isinstance(row.get(key), list) for key in ("paragraphs", "qas")) for row in articles
    ):
        return None
    reshaped: list[Cells] = []
    impossible = 0
    unread = dict.fromkeys(keys_beside(rows, "title", "paragraphs", "qas", "context"))
    for article in articles:
        paragraphs = _objects(article.get("paragraphs", []))
        unread |= dict.fromkeys(keys_beside(paragraphs, "context", "qas", under="paragraphs"))
        for paragraph in paragraphs or [article]:
            for asked in _objects(paragraph.get("qas")):
                context, question = paragraph.get("context"), asked.get("question", "")
                none = str(asked.get("is_impossible")).lower() == "true"
                given = asked.get("answers")
                of_answers = given if isinstance(given, list) else [given]
                unread |= dict.fromkeys(keys_beside(of_answers, "text", under="answers"))
                impossible += none
                reshaped.append(
                    {
                        "query": f"{context}\n{question}" if context else question,
                        "answers": [] if none else _distinct_texts(given),
                        **({"title": article["title"]} if "title" in article else {}),
                        **beside(asked, "question", "answers", own=("query", "title")),
                    }
                )
    warning = (
        f"Questions that their passage does not answer: {impossible:,}; they have no answer here."
    )
    return ShapedRows(reshaped, (warning,) if impossible else (), tuple(unread))


def viewer_rows(rows: Sequence[Cells]) -> ShapedRows | None:
    """The rows that Hugging Face's viewer of data sets wraps: `{"row_idx": 0, "row": {...}}`."""
    inner = [row["row"] for row in rows if "row_idx" in row and isinstance(row.get("row"), dict)]
    wrapped = [row for row in inner if isinstance(row, dict)]
    if len(wrapped) < len(rows):
        return None
    unread = keys_beside(rows, "row", "row_idx", "truncated_cells")
    return ShapedRows(list(wrapped), _about_cut_cells(rows), tuple(unread))


def _about_cut_cells(rows: Sequence[Cells]) -> tuple[str, ...]:
    """What to say about cells that the viewer shortened, which it names; empty where none is."""
    lists = [cells for row in rows if isinstance(cells := row.get("truncated_cells"), list)]
    columns = dict.fromkeys(str(column) for cells in lists for column in cells)
    count = sum(map(len, lists))
    if not count:
        return ()
    of = ", ".join(f'"{column}"' for column in columns)
    return (
        f"Cells that the viewer has cut: {count:,}, in {of}; they are incomplete: take the data "
        "set's own files.",
    )


def inputs_and_outputs(rows: Sequence[Cells]) -> ShapedRows | None:
    """The one text of a row's inputs is the query, the one of its outputs the answer.

    Where either side has several, they stay columns such as `inputs.question`.
    """
    sides = [
        (name, next((key for key in keys if any(key in row for row in rows)), None))
        for name, keys in (("query", _INPUTS), ("answer", _OUTPUTS))
    ]
    found = [key for _, key in sides if key is not None]
    if len(found) < len(sides) or not any(_has_objects(rows, key) for key in found):
        return None
    read: dict[str, list[object]] = {}
    for name, key in sides:
        values = None if key is None else _one_value_each(rows, key, last=name == "answer")
        if values is not None:
            read[name] = values
    used = [key for name, key in sides if name in read and key is not None]
    reshaped: list[Cells] = [
        {
            **{name: values[place] for name, values in read.items()},
            **beside(row, *used, own=tuple(read)),
        }
        for place, row in enumerate(rows)
    ]
    unread = (key for side in used for key in unread_in(_messages_of_side(rows, side), side))
    return ShapedRows(reshaped, unread=tuple(unread))


def argilla(rows: Sequence[Cells]) -> ShapedRows | None:
    """A column for each field and question, with its answers; the status is that of the answers.

    Submitted answers count, and where there are none, those that were discarded or are drafts.
    """
    if not all(isinstance(row.get("fields"), dict) for row in rows) or not any(
        "responses" in row or "suggestions" in row for row in rows
    ):
        return None
    return ShapedRows([_annotated(row) for row in rows], unread=tuple(_unread_of_argilla(rows)))


def _unread_of_argilla(rows: Sequence[Cells]) -> Iterator[str]:
    """The keys of answers and suggestions that say who gave them, and the vectors."""
    yield from (key for key in ("vectors",) if any(row.get(key) for row in rows))
    for key, used in (
        ("responses", ("value", "values", "status", "question_name")),
        ("suggestions", ("value", "question_name")),
    ):
        inner: dict[str, None] = {}
        for given in (row.get(key) for row in rows):
            for each in given.values() if isinstance(given, dict) else [given]:
                objects = each if isinstance(each, list) else [each]
                inner |= dict.fromkeys(keys_beside(objects, *used, under=key))
                values = (one.get("values") for one in objects if isinstance(one, dict))
                for by_question in values:
                    if isinstance(by_question, dict):
                        found = keys_beside(by_question.values(), "value", under=f"{key}.values")
                        inner |= dict.fromkeys(found)
        yield from inner


def _annotated(row: Cells) -> dict[str, object]:
    fields = row["fields"]
    cells: dict[str, object] = dict(fields) if isinstance(fields, dict) else {}
    responses = list(_responses(row.get("responses")))
    submitted = [each for each in responses if each[2] == "submitted"]
    for question, value, _ in submitted or responses:
        key = f"{question} (response)" if isinstance(fields, dict) and question in fields else None
        texts = cells.setdefault(key or question, [])
        if isinstance(texts, list):
            texts += [each for each in _texts(value) if each not in texts]
    for question, value in _suggestions(row.get("suggestions")):
        cells[f"{question}.suggestion"] = value
    for question, texts in cells.items():
        if isinstance(texts, list) and len(texts) == 1:
            cells[question] = texts[0]
    status = row.get("status")
    if status not in ("discarded", "rejected"):
        status = (submitted or responses)[0][2] if responses else "pending"
    used = ("fields", "responses", "suggestions", "status", "vectors")
    own = (*cells, "status")
    return {**cells, "status": status, **beside(row, *used, own=own)}


def _responses(responses: object) -> Iterator[tuple[str, object, str]]:
    """Each answer to a question with its status, from any of the forms that Argilla has had."""
    if isinstance(responses, dict):
        for question, given in responses.items():
            for each in given if isinstance(given, list) else [given]:
                if isinstance(each, dict):
                    yield question, each.get("value"), _status(each)
                elif each is not None:
                    yield question, each, "submitted"
    for response in _objects(responses):
        values = response.get("values")
        if isinstance(values, dict):
            for question, each in values.items():
                value = each.get("value") if isinstance(each, dict) else each
                yield question, value, _status(response)
        elif "question_name" in response:
            yield str(response["question_name"]), response.get("value"), _status(response)


def _suggestions(suggestions: object) -> Iterator[tuple[str, object]]:
    if isinstance(suggestions, dict):
        for question, given in suggestions.items():
            yield question, given.get("value") if isinstance(given, dict) else given
    for suggestion in _objects(suggestions):
        yield str(suggestion.get("question_name", "")), suggestion.get("value")


def _status(response: Mapping[str, object]) -> str:
    return str(response.get("status") or "submitted")


def _one_value_each(rows: Sequence[Cells], column: str, *, last: bool) -> list[object] | None:
    """The one value of each of the column's objects; None where one has several.

    Messages are one value: the last of them for an answer, all of them for a query.
    """
    values = [row.get(column) for row in rows]
    objects = [value for value in values if isinstance(value, dict)]
    keys = {key for value in objects for key in value}
    if len(keys) > 1 and not all(messages_of(value) for value in objects):
        return None
    return [_value_of(value, last=last) for value in values]


def _messages_of_side(rows: Sequence[Cells], column: str) -> Iterator[object]:
    """The values of the column that are messages, or have them under their only key."""
    for row in rows:
        value = row.get(column)
        if messages_of(value) is None and isinstance(value, dict) and len(value) == 1:
            value = next(iter(value.values()))
        if messages_of(value):
            yield value


def _value_of(value: object, *, last: bool) -> object:
    messages = messages_of(value)
    if messages is None and isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
        messages = messages_of(value)
    if not messages:
        return value if value else None
    if not last:
        return transcript(messages)
    return messages[-1].text if messages[-1].role == ASSISTANT else None


def _texts(value: object) -> list[str]:
    try:
        return [text for text in texts_of(value) if text.strip()]
    except ValueError:
        return []


def _distinct_texts(answers: object) -> list[str]:
    texts = (
        text
        for each in (answers if isinstance(answers, list) else [answers])
        for text in _texts(each)
    )
    return list(dict.fromkeys(texts))


def _objects(value: object) -> Iterable[Mapping[str, object]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _has_objects(rows: Sequence[Cells], column: str) -> bool:
    """Whether all cells of the column that are not empty are objects, and there is at least one."""
    values = [value for row in rows if (value := row.get(column)) is not None]
    return bool(values) and all(isinstance(value, dict) for value in values)
