"""What the templates of a form need, with a task behind it or without."""

from collections.abc import Mapping
from typing import Any

from annotation_platform.annotations.forms.keys import cites_documents
from annotation_platform.annotations.forms.steps import build_form, cited_in
from annotation_platform.annotations.forms.texts import page_texts
from annotation_platform.core.items import ItemTexts
from annotation_platform.core.schemes import Scheme


def form_context(
    scheme: Scheme,
    material: ItemTexts,
    typed: Mapping[str, str],
    errors: Mapping[str, str] | None = None,
    *,
    gives_hints: bool = False,
) -> dict[str, Any]:
    """For ``annotations/_form.html``, ``_parts.html`` and ``_documents.html``."""
    return {
        "scheme": scheme,
        "material": material,
        "form": build_form(scheme, material, typed, errors, gives_hints=gives_hints),
        "cites": cites_documents(scheme, material),
        "cited": cited_in(scheme, material, typed),
        "texts": page_texts(),
    }
