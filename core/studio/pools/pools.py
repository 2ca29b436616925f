"""The pools of a workspace, those that come along, and whether diversity can pay in one."""

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ...background import Job, Urgency
from ...curation.drafts import to_drafts
from ...curation.files.decoding import Encoding
from ...curation.files.tables import FileTable, find_encoding
from ...curation.guess import guess_mapping, read_table
from ...curation.importing import (
    ImportPreview,
    ImportReport,
    import_file,
    preview,
    settle_differences,
)
from ...curation.mapping import Mapping
from ...evaluation.results.suitability import Suitability, suitability_of
from ...exporting import EXPORTERS, ExportReport, export_pool
from ...reporting.words.advice import setting_in_words
from ...retrieval.choosing import METHODS, knobs_from_json
from ...retrieval.knobs import Knobs
from ...retrieval.pool_view import PoolView
from ...settings import OnDifference, data_folder
from ...store import PoolSummary
from ..session.readiness import submit_once
from ..session.studio import Setup, Studio
from .bundled import load_computed

BUNDLED = ("service-desk", "service-desk-curated", "misconceptions")
"""Names of the pools in `data/`; the studio opens with the first, the practice model's own."""


@dataclass(frozen=True)
class ImportRequest:
    """A file or its table, the pool that it goes to, and how it is read; None is guessed."""

    source: Path | FileTable
    pool: str
    format: str | None = None
    mapping: Mapping | None = None
    on_difference: OnDifference = OnDifference.LEAVE


def load_bundled(studio: Studio) -> None:
    """Give a workspace that has no pool at all the bundled ones, with what was computed of them."""
    if not studio.store.pools.all():
        import_bundled(studio)
    load_computed(studio)


def import_bundled(studio: Studio) -> None:
    """Import the bundled pools, all of them or none, with nothing computed."""
    tables = {name: read_table(data_folder() / f"{name}.jsonl") for name in BUNDLED}
    drafts = {name: to_drafts(table, guess_mapping(table)).drafts for name, table in tables.items()}
    studio.store.demonstrations.add_to_several(
        drafts, who="Shotlist", what="import the bundled pools"
    )


def restore_example(studio: Studio) -> None:
    """Import the first bundled pool again, as after it was deleted or renamed."""
    run_import(studio, ImportRequest(data_folder() / f"{BUNDLED[0]}.jsonl", BUNDLED[0]))
    load_computed(studio)


def first_shown(names: Sequence[str]) -> str:
    """The pool shown to a visitor who has chosen none: the first bundled one, else the first."""
    return next((name for name in BUNDLED if name in names), names[0])


def summaries(studio: Studio) -> list[PoolSummary]:
    """All pools with their counts, in the order of their names."""
    return studio.store.pools.all()


def upload_encoding(name: str, content: bytes, *, format: str | None = None) -> Encoding | None:
    """In which encoding a file that came through the browser is; None when it is no text format.

    Raises:
        InvalidInput: Its format is not known, or it is not text.
    """
    with uploaded(name, content) as path:
        return find_encoding(path, format=format)


def read_upload(
    name: str,
    content: bytes,
    *,
    format: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> FileTable:
    """The table in a file that came through the browser; what is None is found as in `read_table`.

    Raises:
        InvalidInput: It cannot be read as a table.
    """
    with uploaded(name, content) as path:
        return read_table(path, format=format, encoding=encoding, delimiter=delimiter, sheet=sheet)


@contextmanager
def uploaded(name: str, content: bytes) -> Iterator[Path]:
    """In the block, a file with what came through the browser, under its name."""
    with tempfile.TemporaryDirectory() as folder:
        safe = re.sub(r"[^\w. -]", "_", Path(name).name).strip(". ")[-100:]
        path = Path(folder) / (safe or "file")
        path.write_bytes(content)
        yield path


def preview_import(request: ImportRequest) -> ImportPreview:
    """What the import would do; nothing is written."""
    return preview(request.source, format=request.format, mapping=request.mapping)


def run_import(studio: Studio, request: ImportRequest) -> ImportReport:
    """Import the file, all of it or nothing."""
    return import_file(
        studio.store,
        request.source,
        request.pool,
        format=request.format,
        mapping=request.mapping,
        on_difference=request.on_difference,
    )


def settle(studio: Studio, report: ImportReport, how: OnDifference) -> ImportReport:
    """The report after what differs from the pool was brought over as `how` says.

    Raises:
        StaleRevision: One of the demonstrations was changed at this very moment.
        InvalidInput: The pool was deleted or renamed since.
    """
    return settle_differences(studio.store, report, how, what="import")


def run_export(
    studio: Studio, pool: str, format: str, out: Path, *, overwrite: bool = False
) -> ExportReport:
    """Write the pool to a file in one of the registered formats."""
    return export_pool(studio.store, pool, format, out, overwrite=overwrite)


def export_bytes(studio: Studio, pool: str, format: str) -> bytes:
    """The pool as a file's content, for a download."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / f"pool{EXPORTERS[format].extension}"
        export_pool(studio.store, pool, format, out)
        return out.read_bytes()


def setting_in_use(studio: Studio, pool: str) -> Knobs | None:
    """The setting that was put in use with the pool; None for none, or where its method is gone."""
    row = studio.store.history.setting(studio.store.pools.get(pool).id)
    return knobs_from_json(row) if row.get("method") in METHODS else None


def use_setting(studio: Studio, pool: str, knobs: Knobs, before: Knobs) -> int:
    """Put a setting in use with the pool instead of another one; the action's id, for `undo`."""
    what, found = f"put in use: {setting_in_words(knobs)}", studio.store.pools.get(pool)
    rows = (knobs.to_json(), before.to_json())
    return studio.store.history.use_setting(found.id, *rows, what)


def rename(studio: Studio, old: str, new: str) -> str:
    """The pool's new name, as it is stored.

    Raises:
        InvalidInput: The name is empty or another pool's.
    """
    return studio.store.pools.rename(old, new).name


def delete(studio: Studio, pool: str) -> None:
    """Remove the pool with its demonstrations, history and runs for good; there is no undo."""
    studio.store.pools.delete(pool)


def suggested_name(filename: str) -> str:
    """A pool name made from a file's name: lower case, words joined by hyphens."""
    stem = Path(filename).name.split(".")[0]
    return re.sub(r"[^\w]+", "-", stem, flags=re.UNICODE).strip("-").lower() or "pool"


def suitability(
    studio: Studio, setup: Setup, view: PoolView
) -> tuple[Suitability | None, Job | None]:
    """What is known about the view's version of the pool, or the background job that checks it.

    Both are None if the job failed or was cancelled: nobody requested it.
    """
    pool = studio.store.pools.get(setup.pool)
    slot = f"suitability:{pool.id}:{pool.name}:{view.encoder}"
    job = studio.pool_worker.latest(slot)
    if job is not None and job.state == "finished":
        version, found = job.result
        if version == view.version:
            return found, None

    # The view is asked for again: a job that kept it would keep a large pool's arrays in memory.
    def work(job: Job) -> tuple[int, Suitability]:
        view = studio.view(setup, watcher=job.watcher().quietly())
        lacking = studio.store.demonstrations.queries_without_incorrect(pool.id)
        # What came since the view was read may lack some too; its version is looked at by itself.
        having = max(0, len(view.distinct_queries) - lacking)
        return view.version, suitability_of(view, having, watcher=job.watcher())

    label = f"Looking at the redundancy of {setup.pool}"
    job = submit_once(studio.pool_worker, slot, label, work, urgency=Urgency.SHOWN)
    return None, None if job.state in ("failed", "cancelled") else job
