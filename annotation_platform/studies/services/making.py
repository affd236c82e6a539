"""Making studies: freezing schemes, settings, members."""

import secrets
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from django.utils.text import slugify

from annotation_platform.accounts.models import User
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.signature import signature
from annotation_platform.corpus.models import Corpus
from annotation_platform.studies.models import Member, SchemeVersion, Study


@transaction.atomic
def freeze_scheme(*, definition: Mapping[str, Any]) -> SchemeVersion:
    """The version of a checked scheme definition: the one already there, or the next number."""
    mark = signature(definition)
    key = definition["key"]
    while True:
        last = SchemeVersion.objects.filter(key=key).aggregate(Max("number"))["number__max"] or 0
        try:
            with transaction.atomic():
                version, _ = SchemeVersion.objects.get_or_create(
                    signature=mark, defaults={"key": key, "number": last + 1, "definition": definition}
                )
        except IntegrityError:  # another scheme of this key took the number meanwhile
            continue
        return version


@transaction.atomic
def create_study(*, name: str, corpus: Corpus, definition: Mapping[str, Any], **settings: Any) -> Study:
    """Make a study of a corpus under a scheme. ``settings`` are the study's own fields (overlap, …)."""
    name = " ".join(name.split())
    if not name or len(name) > 200:
        raise InvalidInputError("studies.name_wrong")
    slug = slugify(name)[:80] or f"study-{secrets.token_hex(3)}"
    taken = InvalidInputError("studies.name_taken", name=name)
    if Study.every.filter(Q(name=name) | Q(slug=slug)).exists():
        raise taken
    study = Study(name=name, slug=slug, corpus=corpus, scheme_version=freeze_scheme(definition=definition), **settings)
    for field, least in (
        ("overlap", 1),
        ("questions_per_hit", 1),
        ("hits_per_batch", 1),
        ("time_limit_minutes", 1),
    ):
        if getattr(study, field) < least:
            raise InvalidInputError("studies.setting_too_small", field=field, given=getattr(study, field), least=least)
    try:
        with transaction.atomic():
            study.save()
    except IntegrityError:  # somebody else was faster
        raise taken from None
    return study


def add_member(*, study: Study, role: str, user: User | None = None, pseudonym: str = "") -> Member:
    """Let somebody into a study; without a pseudonym they get a random one."""
    return Member.objects.create(
        study=study,
        user=user,
        role=role,
        pseudonym=pseudonym or f"{role[0].upper()}-{secrets.token_hex(3).upper()}",
    )


def set_welcome(*, study: Study, about: str, task_minutes: int | None, pay: str) -> None:
    """What invited people read before they join."""
    Study.objects.filter(pk=study.pk).update(about=about, task_minutes=task_minutes, pay=pay)
    study.refresh_from_db(fields=["about", "task_minutes", "pay"])
