"""A reader: a T5 that encodes each piece of evidence with the query and answers from all."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from core.errors import InvalidInput
from core.types import LogProb

from .episode import Episode
from .network import encode, token_log_probs
from .tokenisation import FusionTokenizer

if TYPE_CHECKING:
    from torch import Tensor

ANSWERS_AT_ONCE = 32
"""Answers decoded together."""

LONGEST_TEXT = 64
"""The most tokens of a text that is written."""


class FusionReader:
    """A Fusion-in-Decoder reader, for one thread at a time.

    Pieces do not see each other, so their order does not matter and their number is limited by
    memory alone; the window applies to each piece with the query.

    Source: Izacard and Grave, Fusion-in-Decoder, section 3; PGRA, section 2.3.

    Args:
        network: A `T5ForConditionalGeneration`.
        tokenizer: Its tokenizer, of `transformers`.
        name: The name shown to people.
        fingerprint: 32 hex digits of weights, configuration and tokenizer.
        window: The most tokens of a piece with the query, and of an answer.
    """

    def __init__(
        self, network: Any, tokenizer: Any, *, name: str, fingerprint: str, window: int
    ) -> None:
        self.network = network
        self.tokenizer = tokenizer
        self.name = name
        self.fingerprint = fingerprint
        self.window = window
        self._rows = FusionTokenizer(
            tokenizer, vocabulary=network.get_input_embeddings().weight.shape[0], window=window
        )

    @classmethod
    def load(cls, folder: str | Path, *, device: str = "auto") -> Self:
        """The reader in a folder, as `transformers` saves a T5; it computes in float32.

        Weights come from safetensors only, and no code that comes with a model is run.

        Args:
            folder: A folder, or a name on the hub, looked up in the local cache first.
            device: `auto` takes CUDA, else Apple's MPS, else the CPU; or one of them by name.

        Raises:
            InvalidInput: There is no model, it is not whole, it is no T5, or it has no tokenizer.
        """
        from .loading import read_parts

        parts = read_parts(folder, device)
        return cls(
            parts.network,
            parts.tokenizer,
            name=parts.name,
            fingerprint=parts.fingerprint,
            window=parts.window,
        )

    @property
    def device(self) -> str:
        """Where the network computes: `cpu`, `cuda`, `mps`."""
        return str(self.network.device.type)

    @property
    def parameters(self) -> int:
        """How many parameters the network has."""
        return int(self.network.num_parameters())

    def log_probs(
        self, query: str, evidence: Sequence[str], answers: Sequence[str]
    ) -> list[LogProb]:
        """The log-probability of each answer after the query and all the evidence.

        An answer's tokens include the one that ends it, as in T5's own loss: otherwise an answer
        that begins another would be at least as probable.

        Args:
            query: The text to answer.
            evidence: Texts to read; without any the query is read alone.
            answers: Any texts.

        Raises:
            InvalidInput: A text has no tokens or more than the window; nothing is cut off.
        """
        import torch

        if not answers:
            return []
        rows = self._rows.answers(answers)
        scored: list[LogProb] = []
        with self._evaluating():
            states, mask = self._read(query, evidence)
            for begin in range(0, len(rows), ANSWERS_AT_ONCE):
                batch = rows[begin : begin + ANSWERS_AT_ONCE]
                log_probs, _, _ = token_log_probs(
                    self.network,
                    states.expand(len(batch), -1, -1),
                    mask.expand(len(batch), -1),
                    batch,
                )
                for row, values in zip(batch, log_probs.to(torch.float64).tolist(), strict=True):
                    tokens = tuple(min(0.0, value) for value in values[: len(row)])
                    scored.append(LogProb(sum(tokens), len(tokens), tokens))
        return scored

    def answer(self, query: str, evidence: Sequence[str], labels: Sequence[str]) -> str:
        """The label of highest log-probability; of equal ones the first.

        Raises:
            InvalidInput: There is no label, or a text has no tokens or more than the window.
        """
        if not labels:
            raise InvalidInput("There is no label to choose from; give at least one.")
        totals = [each.total for each in self.log_probs(query, evidence, labels)]
        return labels[totals.index(max(totals))]

    def write(self, query: str, evidence: Sequence[str], *, most: int = LONGEST_TEXT) -> str:
        """The text that is most probable token by token, ending where the reader ends it.

        Args:
            query: The text to answer.
            evidence: Texts to read.
            most: The most tokens, at least 1.

        Raises:
            InvalidInput: A text has no tokens or more than the window.
        """
        from transformers.modeling_outputs import BaseModelOutput

        with self._evaluating():
            states, mask = self._read(query, evidence)
            written = self.network.generate(
                encoder_outputs=BaseModelOutput(last_hidden_state=states),
                attention_mask=mask,
                max_new_tokens=most,
                do_sample=False,
                num_beams=1,
            )
        return self._rows.text(written[0].tolist())

    def losses(self, episodes: Sequence[Episode]) -> tuple["Tensor", "Tensor"]:
        """What training needs from episodes, with the gradient.

        Returns:
            The log-probability of each answer, summed over its tokens, shape (episodes,), and the
            number of its tokens, shape (episodes,).

        Raises:
            InvalidInput: A text has no tokens or more than the window.
        """
        answers = self._rows.answers([episode.answer for episode in episodes])
        states, mask = encode(
            self.network,
            [self._rows.inputs(episode.query, episode.evidence) for episode in episodes],
        )
        log_probs, _, real = token_log_probs(self.network, states, mask, answers)
        return log_probs.sum(-1), real.sum(-1)

    def is_right(self, episode: Episode) -> bool:
        """Whether the reader answers an episode correctly.

        Among labels the correct one is the most probable; where an answer is any text, each of its
        tokens is the one put first, so that `write` gives that very answer.

        Raises:
            InvalidInput: A text has no tokens or more than the window.
        """
        if episode.labels:
            return self.answer(episode.query, episode.evidence, episode.labels) == episode.answer
        with self._evaluating():
            states, mask = self._read(episode.query, episode.evidence)
            _, first, real = token_log_probs(
                self.network, states, mask, self._rows.answers([episode.answer])
            )
        return bool((first == real).all())

    def check(self, episodes: Sequence[Episode]) -> None:
        """Refuse what could not be read, before long work begins.

        Raises:
            InvalidInput: A text has no tokens or more than the window.
        """
        for episode in episodes:
            self._rows.inputs(episode.query, episode.evidence)
            self._rows.answers([episode.answer, *episode.labels])

    def save(self, folder: Path) -> None:
        """Write configuration, safetensors and tokenizer, as `load` reads them."""
        from core.language_model.folder import quiet

        with quiet():
            self.network.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)

    def _read(self, query: str, evidence: Sequence[str]) -> tuple["Tensor", "Tensor"]:
        return encode(self.network, [self._rows.inputs(query, evidence)])

    @contextmanager
    def _evaluating(self) -> Iterator[None]:
        """Without dropout and without gradients; what the network was doing goes on afterwards."""
        import torch

        was_training = self.network.training
        self.network.eval()
        try:
            with torch.no_grad():
                yield
        finally:
            self.network.train(was_training)
