"""Judgments of a release as programs that train models read them."""
