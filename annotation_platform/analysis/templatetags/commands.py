"""What pages that name a command need."""

import shlex

from django import template

register = template.Library()


@register.filter
def shell_word(text: str) -> str:
    """The text as one word of a command line, whatever it contains."""
    return shlex.quote(text)
