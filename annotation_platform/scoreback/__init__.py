"""Human scores back to where the judged answers were recorded: Langfuse, Phoenix, LangSmith.

``destinations/`` has one module for each program, and their contract. ``scores.py`` works out what people said of each
trace, ``sending.py`` is the job that hands it over, once, and goes on where it was broken off.
"""
