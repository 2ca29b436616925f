"""Rows written as files of every format that is read."""

import csv
import io
import json

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq


def write_rows(path, format, records, order=None):
    """Write records to a file of the format, with the columns in this order; returns its path."""
    order = order or list(dict.fromkeys(key for record in records for key in record))
    if format in ("csv", "tsv"):
        out = io.StringIO()
        writer = csv.writer(out, delimiter="," if format == "csv" else "\t")
        writer.writerow(order)
        writer.writerows([_cell(record.get(key)) for key in order] for record in records)
        path.write_text(out.getvalue(), encoding="utf-8")
    elif format == "xlsx":
        book = openpyxl.Workbook()
        book.active.append(order)
        for record in records:
            book.active.append([_cell(record.get(key)) for key in order])
        book.save(path)
    elif format == "parquet":
        try:
            table = pa.Table.from_pylist([{key: row.get(key) for key in order} for row in records])
        except (pa.ArrowInvalid, pa.ArrowTypeError):  # one column of several types
            table = pa.Table.from_pylist(
                [{key: _same_type(row.get(key)) for key in order} for row in records]
            )
        pq.write_table(table, path)
    elif format == "json":
        path.write_text(json.dumps(records), encoding="utf-8")
    else:
        path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def _cell(value):
    return json.dumps(value) if isinstance(value, list | dict) else value


def _same_type(value):
    return value if isinstance(value, list | dict) else None if value is None else str(value)
