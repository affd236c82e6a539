"""The scheme editor, which the study builder and a study's own scheme page share: a file beside its live form."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations.forms import build_form, instructions, preview, typed_from_sent
from annotation_platform.core.schemes import (
    InvalidJudgmentError,
    Scheme,
    SchemeError,
    SchemeMistake,
    build_scheme,
    check_judgment,
    presets,
    read_scheme,
)
from annotation_platform.core.schemes.languages import LANGUAGES
from annotation_platform.core.schemes.loading import preset_text
from annotation_platform.core.schemes.summary import summary, texts_of, texts_without
from annotation_platform.corpus.models import Corpus
from annotation_platform.workspace.scheme.samples import SAMPLES, questions_of, texts_of_sample

LANGUAGE_NAMES = {"en": "English", "ja": "日本語"}
TRY = "try"


@dataclass(frozen=True)
class SchemeDraft:
    """A scheme as it stands in the editor: its text, and what is wrong with it or its checked data."""

    text: str
    data: dict[str, Any] = field(default_factory=dict)
    mistakes: tuple[SchemeMistake, ...] = ()

    @classmethod
    def of(cls, text: str) -> "SchemeDraft":
        try:
            return cls(text, data=read_scheme(text))
        except SchemeError as error:
            return cls(text, mistakes=tuple(error.mistakes))

    @cached_property
    def scheme(self) -> Scheme:
        return build_scheme(self.data)

    @property
    def lines(self) -> list[str]:
        """What is in the scheme, a line each."""
        return [in_language(line) for line in summary(self.scheme)]

    @property
    def untranslated(self) -> list[str]:
        """Languages that some texts lack, with how many."""
        count = len(texts_of(self.data))
        missing = {language: len(texts_without(self.data, language)) for language in LANGUAGES}
        told = _("%(language)s: %(missing)s of %(all)s texts are missing")
        return [
            told % {"language": LANGUAGE_NAMES[language], "missing": n, "all": count}
            for language, n in missing.items()
            if n
        ]


def sent_text(request: PageRequest) -> str:
    """The file that was chosen, the preset whose button was pressed, or else what stands in the editor."""
    if isinstance(file := request.FILES.get("file"), UploadedFile):
        return str(file.read(), "utf-8-sig", errors="replace").replace("\r\n", "\n")
    if (key := request.POST.get("preset")) in presets():
        return preset_text(key or "")
    return request.POST.get("scheme", "").replace("\r\n", "\n")


def pressed_button(request: PageRequest) -> str:
    """What the button that sent the form asks for; nothing for htmx, which only looks.

    A look that is still to come while a form is on its way would carry the form's button too, and do its work twice.
    """
    return "" if request.htmx else request.POST.get("do", "")


def editor_context(draft: SchemeDraft, sent: QueryDict, corpus: Corpus | None) -> dict[str, Any]:
    """What ``workspace/_scheme_editor.html`` shows. ``corpus`` lends its first questions to the preview."""
    asked = sent.get("language") or translation.get_language() or ""
    language = asked if asked in LANGUAGES else LANGUAGES[0]
    context: dict[str, Any] = {
        "draft": draft,
        "language": language,
        "languages": LANGUAGE_NAMES,
        "samples": range(1, min(SAMPLES, questions_of(corpus).count()) + 1) if corpus else (),
        "tried": sent.get("do") == TRY,
        "sample": int(sent.get("sample", "0")) if sent.get("sample", "0") in map(str, range(SAMPLES + 1)) else 0,
    }
    if not draft.mistakes:
        context["page"], context["trial"] = _page(draft, sent, corpus, language, context["sample"])
    return context


def _page(
    draft: SchemeDraft, sent: QueryDict, corpus: Corpus | None, language: str, sample: int
) -> tuple[str, list[tuple[str, Any]] | None]:
    """The form as a page of its own, for a frame, and what would be stored of a judgment that was tried."""
    scheme = build_scheme(draft.data, language)
    texts = None
    if corpus and sample and (question := questions_of(corpus)[sample - 1 : sample].first()):
        texts = texts_of_sample(question, scheme.parts)
    typed = typed_from_sent(scheme, sent)
    trial: list[tuple[str, Any]] | None = None
    with translation.override(language):
        context = {**preview(scheme, typed, texts), "instructions": instructions(scheme), "language": language}
        if sent.get("do") == TRY:
            try:
                trial = list(check_judgment(scheme, typed, context["material"].shape).items())
            except InvalidJudgmentError as error:
                errors = {key: in_language(reason) for key, reason in error.errors.items()}
                context["form"] = build_form(scheme, context["material"], typed, errors)
        return render_to_string("workspace/form_preview.html", context), trial
