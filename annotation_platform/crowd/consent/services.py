"""Everything that writes consent."""

from collections.abc import Mapping

from django.db import IntegrityError, transaction
from django.db.models import Max

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.crowd.consent.models import Consent, ConsentText
from annotation_platform.crowd.consent.selectors import current_text
from annotation_platform.studies.models import Member, Study

MOST_WORDS = 20_000
LANGUAGES = ("en", "ja")


class ConsentChangedError(ConflictError):
    """There is a newer version than the one that was read."""


@transaction.atomic
def publish_text(*, study: Study, texts: Mapping[str, str], actor: Actor) -> ConsentText:
    """A new version, which every annotator reads before their next task. The same words again make none.

    Raises
    ------
    InvalidInputError
        When there is no text, or one is too long or in a language that pages do not have.
    """
    written = {language: text.strip() for language, text in texts.items() if text.strip()}
    if not written or not written.keys() <= set(LANGUAGES):
        raise InvalidInputError("crowd.consent_empty")
    if longest := [text for text in written.values() if len(text) > MOST_WORDS]:
        raise InvalidInputError("crowd.consent_too_long", length=len(longest[0]), most=MOST_WORDS)
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    current = current_text(study)
    if current is not None and current.texts == written:
        return current
    last = ConsentText.objects.filter(study=study).aggregate(Max("number"))["number__max"] or 0
    text = ConsentText.objects.create(study=study, number=last + 1, texts=written, created_by_id=actor.user_id)
    record(actor, Verb.CONSENT_PUBLISHED, text, study=study, change={"version": (last or None, text.number)})
    return text


@transaction.atomic
def answer(*, member: Member, text: ConsentText, agreed: bool, language: str, actor: Actor) -> Consent:
    """What somebody says to the text that they have read. Agreeing twice is agreeing once.

    Raises
    ------
    ConsentChangedError
        When the study has a newer text by now.
    """
    current = current_text(member.study)
    if current is None or current.pk != text.pk:
        raise ConsentChangedError("crowd.consent_changed")
    if given := Consent.objects.filter(member=member, text=text, agreed=True).first():
        return given
    shown = text.language(language)
    try:
        with transaction.atomic():
            said = Consent.objects.create(
                member=member, text=text, agreed=agreed, language=shown, digest=text.digest(shown)
            )
    except IntegrityError:  # another tab was faster
        return Consent.objects.get(member=member, text=text, agreed=True)
    verb = Verb.CONSENT_GIVEN if agreed else Verb.CONSENT_DECLINED
    record(actor, verb, member, study=member.study, change={"version": (None, text.number)})
    return said
