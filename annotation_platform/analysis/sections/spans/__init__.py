"""The words that judgments mark in texts."""
