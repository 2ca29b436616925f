"""Prompts and answers to log-probabilities."""

from ..types import AnswerRequest, LogProb
from .base import Abilities, AnswersOneByOne, LanguageModel, OnText, cannot_score, check_scores
from .hub import served_by
from .loading import known_fingerprint, load
from .template import TEMPLATES, ChatFormat, Template, find_template, known_template

__all__ = [
    "TEMPLATES", "Abilities", "AnswerRequest", "AnswersOneByOne", "ChatFormat", "LanguageModel",
    "LogProb", "OnText", "Template", "cannot_score", "check_scores", "find_template",
    "known_fingerprint", "known_template", "load", "served_by",
]  # fmt: skip
