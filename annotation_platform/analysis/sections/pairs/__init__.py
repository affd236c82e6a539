"""Pairs of annotators: Kendall τ-b of each, and two of them side by side."""
