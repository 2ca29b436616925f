"""Prompts and answers to log-probabilities."""

from ..types import AnswerRequest, LogProb
from .base import LanguageModel, OnText
from .chat import ChatFormat
from .loading import known_fingerprint, load
from .template import TEMPLATES, Template, find_template, known_template

__all__ = [
    "TEMPLATES",
    "AnswerRequest",
    "ChatFormat",
    "LanguageModel",
    "LogProb",
    "OnText",
    "Template",
    "find_template",
    "known_fingerprint",
    "known_template",
    "load",
]
