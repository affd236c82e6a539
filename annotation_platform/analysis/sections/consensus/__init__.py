"""Consensus labels: what the judgments of each item come to, and how reliable each annotator is in them."""
