"""Asking for languages, and stating them."""

from collections.abc import Iterable

from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.languages.models import RequiredLanguages, StatedLanguages
from annotation_platform.studies.models import Member, Study

NAMES = {
    "ar": "العربية",
    "de": "Deutsch",
    "en": "English",
    "es": "español",
    "fr": "français",
    "hi": "हिन्दी",
    "id": "Bahasa Indonesia",
    "it": "italiano",
    "ja": "日本語",
    "ko": "한국어",
    "nl": "Nederlands",
    "pl": "polski",
    "pt": "português",
    "ru": "русский",
    "th": "ไทย",
    "tr": "Türkçe",
    "uk": "українська",
    "vi": "Tiếng Việt",
    "zh": "中文",
}
"""ISO 639 codes and how those who read a language write its name."""


@transaction.atomic
def require_languages(*, study: Study, codes: Iterable[str], actor: Actor) -> None:
    """Let only those take tasks who say that they read all of these; none: anybody."""
    wanted = _known(codes)
    row, _ = RequiredLanguages.objects.select_for_update().get_or_create(study=study)
    if row.codes != wanted:
        RequiredLanguages.objects.filter(pk=row.pk).update(codes=wanted)
        change = {"languages": (", ".join(row.codes), ", ".join(wanted))}
        record(actor, Verb.STUDY_CHANGED, study, study=study, change=change)


@transaction.atomic
def state_languages(*, member: Member, codes: Iterable[str], actor: Actor) -> None:
    """Note which languages an annotator says they read."""
    said = _known(codes)
    before = StatedLanguages.objects.filter(member=member).values_list("codes", flat=True).first()
    if before != said:
        StatedLanguages.objects.update_or_create(member=member, defaults={"codes": said})
        change = {"languages": (", ".join(before or []), ", ".join(said))}
        record(actor, Verb.MEMBER_STATED_LANGUAGES, member, study=member.study, change=change)


def _known(codes: Iterable[str]) -> list[str]:
    found = sorted(set(codes))
    if any(code not in NAMES for code in found):
        raise InvalidInputError("crowd.no_language")
    return found
