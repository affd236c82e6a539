"""Reads across models for the researcher's pages and for snapshots."""
