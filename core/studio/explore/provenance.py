"""Where an exploration's numbers come from, in words."""

from ...retrieval.choosing import find_method
from ...retrieval.knobs import LAMBDAS
from ...settings import Embed
from ...text import lambda_text
from ..session.models import describe
from .exploration import Exploration


def provenance(found: Exploration) -> str:
    """One line on where every number of an exploration comes from."""
    request, model = found.request, found.resolved.now.model
    knobs = found.resolved.knobs
    method = find_method(knobs.method)
    settings = [knobs.method, f"k {knobs.k}"]
    used = {"lambda_d": found.lambda_d, "lambda_b": found.lambda_b}
    free = [knob.name for knob in method.parameters]
    named = LAMBDAS if method.chooses_by_mmr else free
    settings += [f"{name} {lambda_text(used[name])}" for name in named]
    settings += [f"{name} {value}" for name, value in knobs.own_values]
    if found.lambda_b < 1.0:
        settings.append(f"bias {knobs.bias_scale}")
    if method.nearest(knobs):
        settings.append(f"{method.nearest(knobs):,} candidates")
    if knobs.embed is Embed.QUERY_AND_ANSWER:
        settings.append("compared by query and answer")
    if knobs.one_per_query:
        settings.append("at most one answer per query")
    if method.uses_seed:
        settings.append(f"seed {knobs.seed}")
    if found.order is not None:
        settings.append(f"{found.order.candidates:,} candidates of stage 1")
    if found.certainty.candidates is not None:
        settings.append(f"{found.certainty.candidates:,} candidates ({found.certainty.index})")
    summary = None if model is None else describe(model)
    return "; ".join(
        (
            ", ".join(settings),
            f"pool {request.setup.pool} version {found.pool_version}, "
            f"{found.demonstrations:,} demonstrations",
            f"encoder {found.resolved.studio.encoder(request.setup.encoder).name}",
            "language model not loaded yet"
            if summary is None
            else f"model {summary.name} at {summary.device}"
            if summary.served
            else f"model {summary.name}, {summary.dtype} on {summary.device}",
            f"template {request.setup.template}, {knobs.order}",
        )
    )


def certainty_in_words(found: Exploration) -> str:
    """Whether the context is the whole pool's, and how that is known; one sentence."""
    known = found.certainty
    knobs = found.resolved.knobs
    nearest = find_method(knobs.method).nearest(knobs)
    if known.kind == "exact" and 0 < nearest < found.demonstrations:
        return (
            f"Exact: chosen among the {nearest:,} most similar of {found.demonstrations:,} "
            "demonstrations."
        )
    if known.kind == "exact":
        return f"Exact: chosen from all {found.demonstrations:,} demonstrations."
    among = f"chosen among {known.candidates:,} candidates of the {known.index} index"
    if known.kind == "certified":
        return f"Certified: {among}, and proven equal to the whole pool's choice."
    recall = ""
    if known.recall is not None:
        recall = f", which finds {known.recall:.1%} of the best candidates"
        recall += f" (mean over {known.sampled:,} of the pool's queries)"
    return f"Approximate: {among}{recall}; the whole pool's choice may differ."
