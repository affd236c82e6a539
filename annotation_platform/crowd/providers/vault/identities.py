"""Who somebody is on another platform: kept at the door, found again, read for payment and messages, erased."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.deleting import delete_account
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.providers.vault.forgetting import tell_forgotten
from annotation_platform.crowd.providers.vault.models import ProviderIdentity
from annotation_platform.crowd.providers.vault.secrets import decrypt, encrypt, encrypt_again, lookups
from annotation_platform.imports.models import ImportJob
from annotation_platform.studies.models import Member, Role, Study

AT_ONCE = 500


def member_of(*, study: Study, provider: str, external_id: str) -> Member | None:
    """The member who came to a study as this one before, also if they were removed since."""
    found = ProviderIdentity.objects.filter(
        study=study, provider=provider, lookup__in=lookups(external_id, scope=_scope(study.pk, provider))
    )
    identity = found.select_related("member__study__scheme_version", "member__user").first()
    return identity.member if identity else None


class Known(NamedTuple):
    """A member who came as somebody, and the key of the row that is there as long as it is known who they are."""

    identity: int
    member: Member


def people_of(*, study: Study, provider: str, external_ids: Collection[str]) -> dict[str, Known]:
    """Who of some people came to a study, as :func:`member_of` finds one of them."""
    scope = _scope(study.pk, provider)
    by_lookup = {lookup: each for each in external_ids for lookup in lookups(each, scope=scope)}
    found: dict[str, Known] = {}
    wanted = list(by_lookup)
    for start in range(0, len(wanted), AT_ONCE):
        some = wanted[start : start + AT_ONCE]
        rows = ProviderIdentity.objects.filter(study=study, provider=provider, lookup__in=some)
        for row in rows.defer("encrypted_id").select_related("member__user"):
            assert row.member is not None  # of a study
            found[by_lookup[row.lookup]] = Known(row.pk, row.member)
    return found


def keep_identity(*, member: Member, provider: str, external_id: str) -> None:
    """Remember who a member is; within the transaction that makes the member."""
    ProviderIdentity.objects.create(
        provider=provider,
        study=member.study,
        member=member,
        user=member.user,
        pseudonym=member.pseudonym,
        encrypted_id=encrypt(external_id),
        lookup=lookups(external_id, scope=_scope(member.study_id, provider))[0],
    )


def keep_arriving(*, upload: ImportJob, provider: str, pseudonyms: Mapping[str, str]) -> None:
    """Remember who those are (identifier → pseudonym) that come with a file, until its study is there."""
    ProviderIdentity.objects.bulk_create(
        ProviderIdentity(
            provider=provider,
            arrives_with=upload,
            pseudonym=pseudonym,
            encrypted_id=encrypt(external_id),
            lookup=lookups(external_id, scope=f"upload {upload.pk} {provider}")[0],
        )
        for external_id, pseudonym in pseudonyms.items()
    )


def let_arrive(*, upload: ImportJob, study: Study) -> None:
    """Give those who came with a file to the members that its import made; who has no judgment there is forgotten."""
    members = {member.pseudonym: member for member in study.members.filter(role=Role.ANNOTATOR)}
    waiting = ProviderIdentity.objects.filter(arrives_with=upload)
    for identity in waiting.filter(pseudonym__in=members):
        member = members[identity.pseudonym]
        external_id = decrypt(identity.encrypted_id)
        identity.study, identity.member, identity.arrives_with = study, member, None
        identity.lookup = lookups(external_id, scope=_scope(study.pk, identity.provider))[0]
        identity.save(update_fields=["study", "member", "arrives_with", "lookup"])
    waiting.delete()


def payee_id(member: Member) -> str | None:
    """The identifier by which a member is paid or written to on their platform; None when there is none.

    For payment and messaging only: whoever else calls this breaks what annotators were promised, and a test.
    """
    identity = ProviderIdentity.objects.filter(member=member).first()
    return decrypt(identity.encrypted_id) if identity else None


def provider_of(member: Member) -> str:
    """The key of the provider that a member came by; empty when it is no other platform."""
    return ProviderIdentity.objects.filter(member=member).values_list("provider", flat=True).first() or ""


@transaction.atomic
def erase_person(*, member: Member, actor: Actor) -> None:
    """Forget who a member is, for ever: their identifier, and the account that was made for them at the door.

    Judgments stay under the pseudonym; nobody can be paid or written to after that.

    Raises
    ------
    InvalidInputError
        When nothing is known of them that could be erased.
    """
    identity = ProviderIdentity.objects.select_for_update().filter(member=member).first()
    if identity is None:
        raise InvalidInputError("crowd.nobody_to_erase", member=str(member))
    user = identity.user
    identity.delete()
    tell_forgotten(member.study)
    record(actor, Verb.PROVIDER_PERSON_ERASED, member, study=member.study)
    here = Q(pk=member.pk) | Q(study__qualifies_for=member.study_id)
    if user is not None and user.is_guest and not user.memberships.exclude(here).exists():
        delete_account(user=user, actor=actor)


def rotate() -> int:
    """Encrypt and hash every identity with the first key; give how many there are."""
    count = 0
    for identity in ProviderIdentity.objects.order_by("pk").iterator():
        external_id = decrypt(identity.encrypted_id)
        upload = identity.arrives_with_id
        scope = f"upload {upload} {identity.provider}" if upload else _scope(identity.study_id, identity.provider)
        identity.encrypted_id = encrypt_again(identity.encrypted_id)
        identity.lookup = lookups(external_id, scope=scope)[0]
        identity.save(update_fields=["encrypted_id", "lookup"])
        count += 1
    return count


def _scope(study: int | None, provider: str) -> str:
    return f"study {study} {provider}"
