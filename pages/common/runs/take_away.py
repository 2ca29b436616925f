"""A setting to take along: a link, a command line, and Python that choose by it elsewhere."""

from dataclasses import dataclass
from pathlib import Path
from shlex import join
from urllib.parse import urlencode, urlsplit

from core.evaluation.results.run_figures import RunSettings
from core.retrieval.choosing import METHODS
from core.retrieval.knobs import LAMBDAS, Knobs
from core.settings import DEFAULT_ENCODER, DEFAULT_TEMPLATE, Embed
from core.text import lambda_text
from pages.common.state.address import LINK_VERSION
from pages.common.state.knobs import link_of

OF_A_RUN = ("neighbours",)
"""Methods that choose by the scores of a model's earlier runs."""


@dataclass(frozen=True)
class TakeAway:
    """What chooses by a setting elsewhere.

    Attributes:
        knobs: The setting.
        settings: Of the run that recommends it: its pool, encoder and template.
        model: By which its language model is loaded.
        workspace: The folder where these are.
        query: A query to begin with.
    """

    knobs: Knobs
    settings: RunSettings
    model: str
    workspace: Path
    query: str

    def link(self, here: str) -> str:
        """The address of Explore with the setting, beside that of the page that is open."""
        at = urlsplit(here)
        values = {
            "v": LINK_VERSION,
            "pool": self.settings.pool,
            "encoder": self._encoder,
            "model": self._model,
            "template": self._template,
            **link_of(self.knobs),
        }
        texts = {
            name: lambda_text(value) if isinstance(value, float) else str(value)
            for name, value in values.items()
            if value not in (None, "")
        }
        host = f"{at.scheme}://{at.netloc}" if at.netloc else ""
        return f"{host}{at.path.rpartition('/')[0]}/explore?{urlencode(texts)}"

    def command(self) -> str:
        """The command line that shows the query's context."""
        words = ["--workspace", str(self.workspace), "--pool", self.settings.pool]
        words += ["--query", self.query, "--method", self.knobs.method]
        for name, value in self._values().items():
            flag = "-k" if name == "k" else f"--{name.replace('_', '-')}"
            words += [flag] if value is True else [flag, _text(value)]
        if self._needs_model:
            words += ["--model", self._model]
        for name, text in (("--encoder", self._encoder), ("--template", self._template)):
            words += [name, text] if text else []
        return f"python -m core retrieve {join(words)}"

    def python(self) -> str:
        """Five lines that print the query's context."""
        own = {knob.name for knob in METHODS[self.knobs.method].own}
        values = self._values()
        given = {name: value for name, value in values.items() if name not in own}
        if of_method := tuple((name, values[name]) for name in values if name in own):
            given["own_values"] = of_method
        knobs = [
            repr(self.knobs.method),
            *(f"{name}={_code(each)}" for name, each in given.items()),
        ]
        view = {"model": self._model if self._needs_model else "", "template": self._template}
        if self.knobs.embed is not Embed.QUERY:
            view["embed"] = self.knobs.embed.value
        of_view = "".join(f", {name}={text!r}" for name, text in view.items() if text)
        encoder = repr(self._encoder) if self._encoder else ""
        store = f"Store.open({str(self.workspace)!r})"
        return "\n".join(
            (
                "from core import Knobs, Store, choose_context, load_encoder, load_pool_view",
                f"store, encoder, query = {store}, load_encoder({encoder}), {self.query!r}",
                f"view = load_pool_view(store, {self.settings.pool!r}, encoder{of_view})",
                "context = choose_context(view, query, encoder.encode([query])[0], "
                f"Knobs({', '.join(knobs)}), leave_out=False)",
                'print(*(f"{view.queries[i]} -> {view.answers[i]}" for i in context.indices), '
                'sep="\\n")',
            )
        )

    def _values(self) -> dict[str, object]:
        """k, the lambdas, and of the other knobs that the choice depends on those changed."""
        method = METHODS[self.knobs.method]
        values = {name: method.value_of(self.knobs, name) for name in method.knobs}
        return {
            name: value
            for name, value in values.items()
            if name in ("k", *LAMBDAS) or value != method.knob(name).default
        }

    @property
    def _needs_model(self) -> bool:
        method = METHODS[self.knobs.method]
        used = method.settle(self.knobs)
        return method.needs_model or used.needs_bias or method.name in OF_A_RUN

    @property
    def _model(self) -> str:
        name = self.model
        return str(Path(name).resolve()) if "/" in name and Path(name).exists() else name

    @property
    def _encoder(self) -> str:
        name = self.settings.encoder_name
        return "" if name == DEFAULT_ENCODER else name

    @property
    def _template(self) -> str:
        name = self.settings.template
        return "" if name == DEFAULT_TEMPLATE else name


def _text(value: object) -> str:
    return lambda_text(value) if isinstance(value, float) else str(value)


def _code(value: object) -> str:
    return repr(str(value)) if isinstance(value, str) else repr(value)
