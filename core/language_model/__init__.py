"""Prompts and answers to log-probabilities."""

from .answers import AnswerRequest, LogProb
from .base import LanguageModel
from .loading import load
from .template import DEFAULT_TEMPLATE, TEMPLATES, Template

__all__ = [
    "DEFAULT_TEMPLATE",
    "TEMPLATES",
    "AnswerRequest",
    "LanguageModel",
    "LogProb",
    "Template",
    "load",
]
