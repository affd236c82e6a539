"""Guidelines: Markdown in which HTML is text."""

from functools import lru_cache
from typing import Any

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


@lru_cache(maxsize=512)
def as_html(markdown: str) -> SafeString:
    """Guidelines as HTML that is safe to show; links open beside the page, so that no judgment is left behind."""
    return mark_safe(_markdown.render(markdown)) if markdown else SafeString()


def _link_beside(renderer: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    tokens[index].attrSet("target", "_blank")
    tokens[index].attrSet("rel", "noopener")
    return str(renderer.renderToken(tokens, index, options, env))


_markdown.add_render_rule("link_open", _link_beside)
