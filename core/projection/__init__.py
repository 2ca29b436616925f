"""Rows of many dimensions to points on a map."""

from .placing import place
from .umap_projection import project

__all__ = ["place", "project"]
