"""Exporting: a pool as a file that imports back to the same pool."""

from .exporters import EXPORTERS, Exporter, ExportReport, export_demonstrations, export_pool

__all__ = ["EXPORTERS", "ExportReport", "Exporter", "export_demonstrations", "export_pool"]
