"""Rows of many dimensions to points on a map."""

from .placing import place, place_all
from .umap_projection import project

__all__ = ["place", "place_all", "project"]
