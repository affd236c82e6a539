"""Prompt variants and mixtures of rescaling side by side."""
