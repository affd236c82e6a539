"""Holding a file of participants, keeping what was chosen of it, and forgetting that again."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError, NotThereError
from annotation_platform.crowd.providers.prolific.models import NOT_OVER, ProlificStudy, Submission
from annotation_platform.crowd.providers.prolific.participants.comparing import Compared, Comparison, compare
from annotation_platform.crowd.providers.prolific.participants.models import (
    HELD,
    ParticipantAttributes,
    ParticipantsFile,
)
from annotation_platform.crowd.providers.prolific.participants.reading import (
    NOT_SAID,
    REVOKED,
    Participants,
    read_participants,
)
from annotation_platform.crowd.providers.vault.forgetting import tell_forgotten
from annotation_platform.crowd.providers.vault.secrets import decrypt, encrypt, encrypt_again
from annotation_platform.crowd.uploads.reading import content_of, text_of

MOST_MEGABYTES = 5


def hold_file(*, connection: ProlificStudy, upload: "UploadedFile[Any]", actor: Actor) -> ParticipantsFile:
    """Keep a file, encrypted, until somebody has said what is kept of it; nothing of it is anywhere else.

    Raises
    ------
    InvalidInputError
        When it is no such file, or too large.
    """
    size = upload.size or 0
    if size > MOST_MEGABYTES * 1_000_000:
        raise InvalidInputError("crowd.participants_too_large", size=size / 1e6, most=MOST_MEGABYTES)
    text = text_of(content_of(upload, ""))
    participants = read_participants(text)
    with transaction.atomic():
        file = ParticipantsFile.objects.create(
            connection=connection,
            name=(upload.name or "")[:200],
            encrypted_text=encrypt(text),
            rows=len(participants.rows),
            created_by_id=actor.user_id,
        )
        change = {"rows": (None, file.rows)}
        record(actor, Verb.PROVIDER_PARTICIPANTS_READ, file, study=connection.study, change=change)
    return file


def look_at(file: ParticipantsFile) -> tuple[Participants, Comparison]:
    """What a file says, and how that compares with what is here now.

    Raises
    ------
    ConflictError
        When it was stored already: its text is gone.
    """
    if not file.encrypted_text:
        raise ConflictError("crowd.participants_stored")
    participants = read_participants(decrypt(file.encrypted_text))
    return participants, compare(file.connection, participants, file.name)


@transaction.atomic
def store(
    *, file: ParticipantsFile, columns: Sequence[str], agreed: bool, takes_states: bool, actor: Actor
) -> ParticipantsFile:
    """Keep the chosen columns of everybody who came here, take over how submissions stand, and forget the file.

    One that was stored already is left as it is. Who has withdrawn keeps nothing here: who was removed or said no to
    the newest consent text they answered, and who returned every submission; a column that Prolific has marked
    ``CONSENT_REVOKED`` is not filled again by another file.

    Raises
    ------
    InvalidInputError
        When a column is none of the file's, nobody said that people agreed to it, or no row is of somebody here.
    NotThereError
        When it was forgotten meanwhile.
    """
    file = _locked(file)
    if file.stored_at is not None:
        return file
    participants, comparison = look_at(file)
    if unknown := [name for name in columns if name not in participants.columns]:
        raise InvalidInputError("crowd.participants_no_such_column", columns=unknown)
    if columns and not agreed:
        raise InvalidInputError("crowd.participants_not_agreed")
    if not comparison.found:
        raise InvalidInputError("crowd.participants_nobody")
    file.people = _keep(comparison.found, columns)
    tell_forgotten(file.connection.study)  # what was withdrawn since, or is said otherwise
    file.states = _take_states(comparison.found) if takes_states else 0
    file.columns = [name for name in participants.columns if name in columns]
    file.stored_at, file.encrypted_text = timezone.now(), ""
    file.save()
    change = {"columns": (None, ", ".join(file.columns)), "people": (None, file.people), "states": (None, file.states)}
    record(actor, Verb.PROVIDER_PARTICIPANTS_STORED, file, study=file.connection.study, change=change)
    return file


@transaction.atomic
def give_up(*, file: ParticipantsFile, actor: Actor) -> None:
    """Forget a file of which nothing was stored.

    Raises
    ------
    ConflictError
        When it was stored.
    NotThereError
        When it was forgotten meanwhile.
    """
    file = _locked(file)
    if file.stored_at is not None:
        raise ConflictError("crowd.participants_stored")
    record(actor, Verb.PROVIDER_PARTICIPANTS_FORGOTTEN, file, study=file.connection.study)
    file.delete()


@transaction.atomic
def forget_kept(*, connection: ProlificStudy, actor: Actor) -> int:
    """Forget what was kept of everybody; give of how many. That a consent was revoked stays known, and what a frozen
    release says stays in it.
    """
    kept = ParticipantAttributes.objects.filter(member__study=connection.study).exclude(values={})
    count = 0
    for each in kept.select_for_update(of=("self",)):
        each.values = {}
        each.save(update_fields=["values", "updated_at"])
        count += 1
    if count:
        tell_forgotten(connection.study)
        change = {"people": (count, 0)}
        record(actor, Verb.PROVIDER_PARTICIPANTS_FORGOTTEN, connection, study=connection.study, change=change)
    return count


def forget_old_files() -> None:
    """Forget files about which nobody has said anything for a day."""
    ParticipantsFile.objects.filter(stored_at=None, created_at__lt=timezone.now() - HELD).delete()


def rotate_files() -> None:
    """Encrypt the files that wait with the first key."""
    for file in ParticipantsFile.objects.exclude(encrypted_text=""):
        as_it_was = ParticipantsFile.objects.filter(pk=file.pk, encrypted_text=file.encrypted_text)
        as_it_was.update(encrypted_text=encrypt_again(file.encrypted_text))  # not of one that is forgotten since


def _locked(file: ParticipantsFile) -> ParticipantsFile:
    """The file as it is now, so that of those who decide about it at once one does."""
    rows = ParticipantsFile.objects.select_for_update(of=("self",)).select_related("connection__study")
    if (now := rows.filter(pk=file.pk).first()) is None:
        raise NotThereError("crowd.no_participants_file")
    return now


def _keep(found: Iterable[Compared], columns: Sequence[str]) -> int:
    """Keep columns of everybody; give of how many something is kept."""
    by_person: dict[int, list[Compared]] = {}
    for each in found:
        assert each.known is not None  # of those found only
        by_person.setdefault(each.known.identity, []).append(each)
    before = {each.identity_id: each for each in ParticipantAttributes.objects.filter(identity__in=by_person)}
    count = 0
    for identity, rows in by_person.items():
        assert rows[0].known is not None
        kept = before.get(identity) or ParticipantAttributes(identity_id=identity, member=rows[0].known.member)
        was = (dict(kept.values), dict(kept.missing))
        _merge(kept, rows, columns)
        if (kept.values, kept.missing) != was or (kept.pk is None and kept.values):
            kept.save()
        count += bool(kept.values)
    return count


def _merge(kept: ParticipantAttributes, rows: Sequence[Compared], columns: Sequence[str]) -> None:
    for each in rows:
        for name, said in each.row.said.items():
            if said == REVOKED:  # also of a column that nobody chose this time
                kept.values.pop(name, None)
                kept.missing[name] = REVOKED
            elif name in columns and kept.missing.get(name) != REVOKED:
                kept.values.pop(name, None)
                kept.missing.pop(name, None)
                (kept.missing if said in NOT_SAID else kept.values)[name] = said
    if all(each.has_withdrawn for each in rows):
        kept.values = {}


def _take_states(found: Iterable[Compared]) -> int:
    """Take over how submissions stand that are not over here, unless the file is older; give how many that changed."""
    count = 0
    for each in found:
        one, known = each.submission, each.known
        if one is None or known is None or one.member_id != known.member.pk or one.state == each.row.state:
            continue
        earlier = NOT_OVER[: NOT_OVER.index(each.row.state)] if each.row.state in NOT_OVER else NOT_OVER
        waiting = Submission.objects.filter(pk=one.pk, state__in=earlier)
        count += waiting.update(state=each.row.state)
    return count
