"""Prompts and answers to log-probabilities."""

from ..types import AnswerRequest, LogProb
from .abilities import Abilities, cannot_score, check_scores
from .base import AnswersOneByOne, LanguageModel, OnText
from .chat import ChatFormat
from .loading import known_fingerprint, load
from .served import served_by
from .template import TEMPLATES, Template, find_template, known_template

__all__ = [
    "TEMPLATES",
    "Abilities",
    "AnswerRequest",
    "AnswersOneByOne",
    "ChatFormat",
    "LanguageModel",
    "LogProb",
    "OnText",
    "Template",
    "cannot_score",
    "check_scores",
    "find_template",
    "known_fingerprint",
    "known_template",
    "load",
    "served_by",
]
