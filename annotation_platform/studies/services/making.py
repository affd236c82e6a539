"""Making studies: freezing schemes, settings, members."""

import secrets
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from django.utils.text import slugify

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.models import User
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.signature import signature
from annotation_platform.core.text import EMAIL
from annotation_platform.corpus.models import Corpus
from annotation_platform.studies.models import Member, SchemeVersion, Study

MOST_OVERLAP = 500
_SMALL = 32_767  # the largest number that the database's small columns hold
MOST = {"overlap": MOST_OVERLAP, "questions_per_hit": _SMALL, "hits_per_batch": _SMALL, "time_limit_minutes": _SMALL}


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
    for field, most in MOST.items():
        if not 1 <= getattr(study, field) <= most:
            raise InvalidInputError("studies.setting_out_of_range", field=field, given=getattr(study, field), most=most)
    try:
        with transaction.atomic():
            study.save()
    except IntegrityError:  # somebody else was faster
        raise taken from None
    return study


@transaction.atomic
def add_member(
    *, study: Study, role: str, user: User | None = None, pseudonym: str = "", actor: Actor, **details: Any
) -> Member:
    """Let somebody into a study; without a pseudonym they get a random one. ``details``: more of the row's fields.

    Raises
    ------
    InvalidInputError
        When the pseudonym is an e-mail address, which pages and exports would show, or none that can be kept.
    """
    longest = Member._meta.get_field("pseudonym").max_length or 0
    if pseudonym and (not pseudonym.strip() or len(pseudonym) > longest):
        raise InvalidInputError("studies.pseudonym_wrong", most=longest)
    if EMAIL.search(pseudonym):
        raise InvalidInputError("studies.pseudonym_is_an_address", pseudonym=pseudonym)
    member = Member.objects.create(
        study=study,
        user=user,
        role=role,
        pseudonym=pseudonym or f"{role[0].upper()}-{secrets.token_hex(4).upper()}",
        **details,
    )
    joined = actor.is_person and user is not None and actor.user_id == user.pk
    verb = Verb.MEMBER_JOINED if joined else Verb.MEMBER_ADDED
    record(actor, verb, member, study=study, change={"role": (None, str(role))})
    return member
