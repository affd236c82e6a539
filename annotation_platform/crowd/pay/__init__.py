"""Paying: what was promised, what is owed and why, what was paid; every entry stays, and none is ever changed."""
