"""What the commands of the reader print: their fields, in their order, are the JSON keys."""

from dataclasses import asdict, dataclass
from typing import Any

from core.commands.documents import CommandDocument

from .over_a_pool import ReaderTraining, Reply


@dataclass(frozen=True)
class TrainedReader(CommandDocument):
    """A training over a pool."""

    model: str
    training: ReaderTraining

    def to_json(self) -> dict[str, Any]:
        """What was trained and on what, then the report's own fields."""
        named = {"pool": self.training.pool, "k": self.training.k, "labels": self.training.labels}
        return {"model": self.model} | named | asdict(self.training.report)


@dataclass(frozen=True)
class Answered(CommandDocument):
    """A reader's answer to a query."""

    reader: str
    pool: str
    query: str
    reply: Reply

    def to_json(self) -> dict[str, Any]:
        """What was asked, then the answer, its labels by log-probability, and the evidence."""
        found = {"reader": self.reader, "pool": self.pool, "query": self.query}
        reply = asdict(self.reply)
        evidence = zip(self.reply.ids, self.reply.evidence, strict=True)
        return found | {
            "answer": reply["answer"],
            "ranked": [{"label": label, "log_prob": value} for label, value in self.reply.ranked],
            "evidence": [{"id": number, "text": text} for number, text in evidence],
        }
