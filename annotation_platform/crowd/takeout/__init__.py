"""The file with a person's own data: asked for, made by the worker, kept for a few days. What is in it: ``home``."""
