"""LLM-MATE."""
