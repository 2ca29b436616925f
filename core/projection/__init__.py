"""Rows of many dimensions to points on a map."""

from .umap_projection import place, place_all, project

__all__ = ["place", "place_all", "project"]
