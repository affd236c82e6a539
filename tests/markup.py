"""A page as its reader gets it: where a template breaks its lines makes no difference."""

import re

from django.http.response import HttpResponseBase

BLOCKS = (
    "address article aside body blockquote dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3"
    " h4 header html li main nav ol option p section select summary table tbody td tfoot th thead title tr ul"
)
AROUND_BLOCK = re.compile(rf" ?(</?(?:{BLOCKS.replace(' ', '|')})\b[^>]*>) ?")
AS_TYPED = re.compile(r"(<(?:textarea|pre)\b.*?</(?:textarea|pre)>)", re.DOTALL)


def markup(response: HttpResponseBase) -> str:
    """The page's HTML with each run of whitespace as one space, and none beside the tags of blocks.

    What stands in a ``textarea`` or ``pre`` stays as it is, since it is shown so.
    """
    parts = AS_TYPED.split(response.content.decode())
    return "".join(part if number % 2 else _flat(part) for number, part in enumerate(parts))


def _flat(html: str) -> str:
    return AROUND_BLOCK.sub(r"\1", re.sub(r"[ \n\t]+", " ", html))
