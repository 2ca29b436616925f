"""Rows of many dimensions to points on a map."""

from .umap_projection import load_umap, place, place_all, project

__all__ = ["load_umap", "place", "place_all", "project"]
