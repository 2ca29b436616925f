"""A function for each command of the command line: options in, the document or result out."""

from argparse import Namespace
from dataclasses import replace
from itertools import chain, compress
from shlex import quote

from ..curation.files.decoding import Sureness
from ..curation.files.tables import FileTable
from ..curation.guess import read_table
from ..curation.importing import ImportReport
from ..curation.mapping import parse_mapping
from ..demonstration.demonstration import Status
from ..errors import InvalidInput
from ..evaluation.results.calibration import Calibration
from ..evaluation.results.comparison import Comparison
from ..evaluation.runs.calibrate import CalibrationOptions
from ..evaluation.scoring.example_scores import Setting, with_model
from ..evaluation.scoring.quality_bias import QualityReport, score_quality
from ..evaluation.scoring.task_states import read_pool
from ..language_model.task import ENDING, LabelWord, Task
from ..reporting.tables.results import calibration_sheet, comparison_sheet
from ..reporting.words.cautions import cut_sentence, unread_sentence
from ..reporting.words.importing import (
    how_it_differs,
    how_it_was_read,
    how_to_map_it,
    what_became_of_it,
    what_became_of_the_rows,
    what_each_column_is,
    what_it_can_show,
)
from ..retrieval.choosing import find_method, settled
from ..retrieval.doubts import how_read
from ..retrieval.embedded_texts import embed_texts
from ..retrieval.knobs import LAMBDAS
from ..settings import OnDifference
from ..studio.explore.effect import own_answers
from ..studio.explore.exploration import Exploration, ExploreRequest, explore, resolve
from ..studio.explore.path import path_of
from ..studio.pools import demonstrations, pools, tasks
from ..studio.runs import calibrate, compare
from ..studio.session.studio import Setup, Studio
from ..watcher import READING
from ..writing import place_for
from . import passages
from .console import say
from .contexts import (
    AnswerDocument,
    AnswerDocumentRow,
    PathDocument,
    PromptDocument,
    RetrieveDocument,
    notes_of,
    of_task,
)
from .documents import (
    CommandDocument,
    EmbedDocument,
    EvaluateDocument,
    ExportDocument,
    PoolList,
    QualityDocument,
    ResultDocument,
    evaluated,
    import_sheet,
    task_sheet,
)
from .flags import knobs_of, names_in, rows_of, setup_of
from .progress import watcher


def run_import(studio: Studio, options: Namespace) -> ResultDocument[ImportReport]:
    """`import`: read the file and add what is new to the pool, all or nothing.

    With `--fixed` its first six demonstrations become those that the method `fix` shows.
    """
    table = read_table(
        options.path,
        format=options.format,
        encoding=options.encoding,
        delimiter=options.delimiter,
        sheet=options.sheet,
        mapping=options.map,
    )
    if table.encoding_sureness is Sureness.UNSURE:
        say(_unsure_of_encoding(table))
    mapping = parse_mapping(options.map, table) if options.map is not None else None
    how = OnDifference(options.on_difference)
    request = pools.ImportRequest(table, options.pool, mapping=mapping, on_difference=how)
    report = pools.run_import(studio, request)
    happened = (
        () if options.map is not None else (what_each_column_is(report),),
        how_it_was_read(report),
        (what_became_of_the_rows(report),),
        what_became_of_it(report),
        what_it_can_show(report),
        how_it_differs(report),
        how_to_map_it(report),
    )
    for sentence in chain.from_iterable(happened):
        say(sentence)
    if report.queries_with_incorrect < report.queries:
        say(f"To have answers of near queries suggested, run suggest --pool {quote(report.pool)}.")
    if report.differing and how is OnDifference.LEAVE:
        say("To bring them over, import the file with --on-difference add or replace.")
    if options.fixed:
        demonstrations.name_fixed(studio, report.pool, report.first_ids)
    return ResultDocument(report, import_sheet)


def _unsure_of_encoding(table: FileTable) -> str:
    others = ", ".join(table.other_encodings)
    return (
        f"{table.name} was read as {table.encoding}, which is unsure"
        f"{f' (it could be {others})' if others else ''}: look at its texts, and where letters are "
        "wrong, take the import back in the pool's history and name another with --encoding NAME."
    )


def run_pools(studio: Studio, options: Namespace) -> PoolList:
    """`pools`: every pool with its counts."""
    return PoolList(tuple(pools.summaries(studio)))


def run_task(studio: Studio, options: Namespace) -> ResultDocument[tasks.PoolTask]:
    """`task`: the pool's labels and task, after choosing one or forgetting the chosen one."""
    texts = tasks.read(studio, options.pool)
    own = {"--label": options.label, "--ending": options.ending, "--name": options.name}
    own["--full-stop"] = options.full_stop or None
    if options.question is None and (given := [flag for flag, value in own.items() if value]):
        raise InvalidInput(
            f"{given[0]} was given without --question: it belongs to a task of your own; give "
            "with --question what is asked of every text."
        )
    if options.suggested:
        tasks.take_back(studio, options.pool)
    elif options.choose is not None:
        tasks.choose(studio, texts, tasks.named_task(texts, options.choose))
    elif options.question is not None:
        tasks.choose(studio, texts, _own_task(texts, options))
    found = tasks.pool_task(tasks.read(studio, options.pool))
    return ResultDocument(found, task_sheet)


def _own_task(texts: tasks.PoolTexts, options: Namespace) -> Task:
    _, words = tasks.first_own_task(texts)
    if options.label:
        words = tuple(map(LabelWord.read, options.label))
    ending = ENDING if options.ending is None else options.ending
    name = tasks.OWN if options.name is None else options.name
    return tasks.own_task(name, options.question, words, ending=ending, full_stop=options.full_stop)


def run_embed(studio: Studio, options: Namespace) -> EmbedDocument:
    """`embed`: embed the texts of the pool that are not embedded yet."""
    pool = studio.store.pools.get(options.pool)
    encoder = studio.encoder(options.encoder)
    included = studio.store.demonstrations.all(pool.id, status=Status.INCLUDED)
    texts = list(dict.fromkeys(d.query for d in included))
    rows, embedded = embed_texts(studio.store, encoder, texts, watcher=watcher("embedding"))
    cut = set(compress(texts, encoder.cut(texts)))
    found = how_read(encoder, texts)
    notes = (
        cut_sentence([text for text in texts if text in cut]),
        unread_sentence(found, "--encoder "),
    )
    return EmbedDocument(
        pool=pool.name,
        embedded=embedded,
        reused=len(texts) - embedded,
        encoder=encoder.name,
        dimensions=rows.shape[1],
        cut=tuple(d.id for d in included if d.query in cut),
        unread=found.unread,
        foreign=found.foreign,
        notes=tuple(filter(None, notes)),
    )


def run_quality(studio: Studio, options: Namespace) -> QualityDocument:
    """`quality`: score the quality bias of the demonstrations that have none."""
    setup = setup_of(options)
    report = _score_quality(studio, setup)
    model = studio.language_model(setup.model).name
    return QualityDocument(pool=options.pool, **vars(report), model=model, template=setup.template)


def run_retrieve(studio: Studio, options: Namespace) -> RetrieveDocument:
    """`retrieve`: one context with each pick's parts; nothing is left out."""
    found = _explore(studio, options)
    knobs = found.resolved.knobs
    method = find_method(knobs.method)
    return RetrieveDocument(
        pool=options.pool,
        pool_version=found.pool_version,
        method=options.method,
        k=options.k,
        lambda_d=found.lambda_d,
        lambda_b=found.lambda_b,
        candidates=method.among(knobs),
        embed=knobs.embed,
        own=dict(knobs.own_values),
        exact=found.certainty.kind != "approximate",
        selection=found.certainty,
        doubts=found.doubts,
        notes=notes_of(found),
        value=method.value or None,
        demonstrations=found.picks,
        diversity=found.diversity,
        **of_task(found.order),
    )


def run_path(studio: Studio, options: Namespace) -> PathDocument:
    """`path`: every piece of [0, 1] on which a lambda chooses the same demonstrations."""
    over: str = options.over
    if getattr(options, over) is not None:
        option = over.replace("_", "-")
        raise InvalidInput(
            f"The path runs over the whole of {over}, and --{option} {getattr(options, over):g} "
            f"was given; leave --{option} out, or name the other lambda with --over."
        )
    # The free lambda gets a value at which the quality bias counts, if it counts anywhere.
    request = _request(options).with_knobs(**{over: 1.0 if over == "lambda_d" else 0.0})
    _make_ready(studio, request)
    (fixed,) = (getattr(request.knobs, name) for name in LAMBDAS if name != over)
    pieces = path_of(resolve(studio, request), over)
    return PathDocument(options.pool, options.k, over, fixed, pieces)


def run_prompt(studio: Studio, options: Namespace) -> PromptDocument:
    """`prompt`: the final prompt and its number of tokens by the chosen model."""
    studio.language_model(options.model)
    found = _explore(studio, options)
    return PromptDocument(
        prompt=found.prompt,
        tokens=found.tokens,
        method=options.method,
        template=options.template,
        left_out=found.left_out,
        **of_task(found.order),
    )


def run_answer(studio: Studio, options: Namespace) -> AnswerDocument:
    """`answer`: what the model itself answers, with the context and without any."""
    model = studio.language_model(options.model)
    found = _explore(studio, options)
    answers = own_answers(
        found.request,
        studio.engine(found.request.setup),
        found.prompt,
        max_new_tokens=options.max_tokens,
        watcher=watcher("tokens"),
    )
    return AnswerDocument(
        pool=options.pool,
        query=options.query,
        method=options.method,
        template=options.template,
        model=model.name,
        demonstrations=tuple(pick.id for pick in found.picks),
        answers=tuple(
            AnswerDocumentRow(
                context=context,
                text=each.text,
                tokens=each.tokens,
                log_prob=each.log_prob,
                log_prob_per_token=each.log_prob_per_token,
                ended_by=each.ended_by,
                thoughts=each.thoughts,
                instead=each.instead,
                doubts=each.doubts,
            )
            for context, each in ((True, answers.after), (False, answers.alone))
        ),
    )


def run_evaluate(
    studio: Studio, options: Namespace
) -> ResultDocument[Comparison] | EvaluateDocument:
    """`evaluate`: the table of methods, with intervals; `--generate` adds the model's answers."""
    _check_report(options)
    rows, named = rows_of(options), options.reference
    whole = named in {row.name for row in rows}  # a row's name may have commas of its own
    request = compare.CompareRequest(
        setup=setup_of(options),
        rows=rows,
        references=(named,) if whole else names_in(named),
        examples=options.examples,
        seed=options.seed,
        limit=options.limit,
        leave_out_leaks=options.leave_out_leaks,
        generate=options.generate,
    )
    comparison = compare.run(studio, request, watcher("evaluating")).summary()
    if options.report is not None:
        from ..reporting.html.reports import comparison_report, write_report

        write_report(comparison_report(comparison), options.report, overwrite=options.force)
    if options.generate:
        return evaluated(studio.store, comparison)
    return ResultDocument(comparison, comparison_sheet)


def run_calibrate(studio: Studio, options: Namespace) -> ResultDocument[Calibration]:
    """`calibrate`: DPO and diversity over lambda_d, exactly and at 21 values with intervals."""
    _check_report(options)
    given = replace(
        CalibrationOptions.of(knobs_of(options)),
        limit=options.limit,
        examples_from=options.examples,
        leave_out_leaks=options.leave_out_leaks,
        margin=options.margin,
        until_settled=options.until_settled,
    )
    request = calibrate.CalibrateRequest(setup=setup_of(options), options=given)
    calibration = calibrate.run(studio, request, watcher("calibrating")).summary()
    if options.report is not None:
        from ..reporting.html.reports import calibration_report, write_report

        write_report(calibration_report(calibration), options.report, overwrite=options.force)
    return ResultDocument(calibration, calibration_sheet)


def run_passages(studio: Studio, options: Namespace) -> CommandDocument:
    """`passages`: import, list, embed, search or remove collections of passages."""
    return passages.RUNS[options.action](studio, options, watcher("embedding"))


def run_export(studio: Studio, options: Namespace) -> ExportDocument:
    """`export`: write the pool to a file."""
    report = pools.run_export(
        studio, options.pool, options.format, options.out, overwrite=options.force
    )
    return ExportDocument(report.rows, str(report.path), options.format)


def _check_report(options: Namespace) -> None:
    """Refuse a place where no report can be written, before the long work and not after it."""
    if options.report is not None:
        place_for(options.report, overwrite=options.force)


def _request(options: Namespace) -> ExploreRequest:
    return ExploreRequest(setup_of(options), options.query, knobs_of(options))


def _explore(studio: Studio, options: Namespace) -> Exploration:
    request = _request(options)
    _make_ready(studio, request)
    _read_pool(studio, request)
    return explore(resolve(studio, request, ask=True))


def _read_pool(studio: Studio, request: ExploreRequest) -> None:
    """Have the model read the pool where the method needs it, reporting the progress."""
    method = find_method(request.knobs.method)
    if method.reads is None:
        return
    knobs = method.settle(request.knobs)
    view = studio.view(request.setup, embed=knobs.embed)
    method.reads(view, knobs)  # a pool without a task is refused before the model is loaded
    setting = Setting(view, studio.engine(request.setup), knobs.order)
    read_pool(with_model(setting, studio.pool_states), [knobs], watcher(READING))


def _make_ready(studio: Studio, request: ExploreRequest) -> None:
    """Embed what is missing and score the quality that the request needs, reporting it."""
    if not request.query.strip():
        raise InvalidInput("The query is empty; give the text that the context is chosen for.")
    needs_bias = settled(request.knobs).needs_bias
    if needs_bias:
        studio.language_model(request.setup.model)
    view = studio.view(request.setup, embed=request.knobs.embed, watcher=watcher("embedding"))
    if needs_bias and view.unscored:
        say("scoring the quality bias that is missing")
        _score_quality(studio, request.setup)


def _score_quality(studio: Studio, setup: Setup) -> QualityReport:
    engine = studio.engine(setup)
    return score_quality(
        studio.store,
        studio.store.pools.get(setup.pool).id,
        engine,
        watcher=watcher("scoring quality"),
    )
