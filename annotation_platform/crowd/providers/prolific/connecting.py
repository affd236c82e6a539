"""What is done with a study's connection to Prolific: setting it up and changing it."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import differences, record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.endings import Ending
from annotation_platform.crowd.providers.prolific.models import ProlificStudy
from annotation_platform.crowd.providers.prolific.visits import IDENTIFIER
from annotation_platform.crowd.providers.vault.secrets import encrypt, encrypt_again
from annotation_platform.studies.models import Study


def connection_for(study: Study) -> ProlificStudy | None:
    return ProlificStudy.objects.filter(study=study).first()


@transaction.atomic
def connect(
    *,
    study: Study,
    codes: Mapping[Ending, str],
    tasks_wanted: int,
    external_studies: Sequence[str] = (),
    seen_studies: Sequence[str] = (),
    is_open: bool = True,
    checks_signature: bool = False,
    token: str = "",
    hook_secret: str = "",
    actor: Actor,
) -> ProlificStudy:
    """Store how a study is connected; an empty token or secret leaves the one that is there.

    Parameters
    ----------
    seen_studies
        The studies on Prolific that were known to whoever names the ``external_studies``. One that is known by now and
        was not seen stays: it was made meanwhile, and its people are to come in.

    Raises
    ------
    InvalidInputError
        When the code of a finished submission is missing, two endings have one code, or an identifier is none.
    """
    given = {ending: codes.get(ending, "").strip() for ending in Ending}
    if not given[Ending.DONE]:
        raise InvalidInputError("crowd.code_missing")
    if len(used := [code for code in given.values() if code]) != len(set(used)):
        raise InvalidInputError("crowd.codes_alike")
    if wrong := [each for each in external_studies if not IDENTIFIER.fullmatch(each)]:
        raise InvalidInputError("crowd.external_study_wrong", study=wrong[0])
    if any(not secret.isascii() or not secret.isprintable() or " " in secret for secret in (token, hook_secret)):
        raise InvalidInputError("crowd.token_malformed")
    connection, is_new = ProlificStudy.objects.select_for_update(no_key=True).get_or_create(study=study)
    before = {} if is_new else _told(connection)
    for ending, code in given.items():
        setattr(connection, f"code_{ending.value}", code)
    connection.tasks_wanted, connection.is_open = max(tasks_wanted, 1), is_open
    connection.checks_signature = checks_signature
    made_meanwhile = [each for each in connection.external_studies if each not in seen_studies]
    connection.external_studies = list(dict.fromkeys([*external_studies, *made_meanwhile]))
    if token:
        connection.encrypted_token = encrypt(token)
    if hook_secret:
        connection.encrypted_hook_secret = encrypt(hook_secret)
    connection.save()
    replaced = {"token": "replaced"} if token else {}
    change = differences(before, _told(connection) | replaced)
    record(actor, Verb.PROVIDER_SAVED, connection, study=study, change=change)
    return connection


def _told(connection: ProlificStudy) -> dict[str, Any]:
    """What an event says of a connection: of its secrets only whether there are any."""
    return {
        "is_open": connection.is_open,
        "checks_signature": connection.checks_signature,
        "tasks_wanted": connection.tasks_wanted,
        "external_studies": ", ".join(connection.external_studies),
        "completion_codes": ", ".join(filter(None, map(connection.code, Ending))),
        "token": "kept" if connection.encrypted_token else "none",
    }


def rotate_secrets() -> int:
    """Encrypt tokens and secrets of hooks with the first key; give of how many studies."""
    connections = list(ProlificStudy.objects.all())
    for connection in connections:
        for field in ("encrypted_token", "encrypted_hook_secret"):
            if kept := getattr(connection, field):
                as_it_was = ProlificStudy.objects.filter(pk=connection.pk, **{field: kept})
                as_it_was.update(**{field: encrypt_again(kept)})  # not over one that is new since
    return len(connections)
