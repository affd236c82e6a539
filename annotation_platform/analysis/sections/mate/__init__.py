"""LLM-MATE beside its baselines."""
