"""A web annotation platform for human evaluation of language-model output."""

__version__ = "0.1.0"
