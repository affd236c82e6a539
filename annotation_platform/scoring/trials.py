"""Trying a model connection: the worker asks its server one tiny thing, for no request waits for a foreign server."""

from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.jobs.contract import JobKind, leave
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.scoring.gateway import try_out
from annotation_platform.scoring.models import ConnectionTrial, ModelConnection
from annotation_platform.scoring.parameters import FROM_CONNECTION, ModelCall

LONGEST_SHOWN = 200


def request_trial(*, connection: ModelConnection, actor: Actor) -> ConnectionTrial:
    """Put a trial into the queue in the place of the last one, or give the one that is under way."""
    with transaction.atomic():
        ModelConnection.objects.select_for_update().get(pk=connection.pk)
        under_way = ConnectionTrial.objects.active().filter(connection=connection).first()
        if under_way is not None:
            return under_way
        ConnectionTrial.objects.filter(connection=connection).delete()
        record(actor, Verb.CONNECTION_TRIED, connection, study=connection.study)
        return ConnectionTrial.objects.create(connection=connection)


def try_connection(trial: ConnectionTrial, heartbeat: Heartbeat) -> None:
    """Send one tiny request, and keep nothing but its first words; and once more with a JSON schema, for the
    connection to know whether its server holds replies to one.

    Raises
    ------
    ModelRequestError, ModelServerError, InvalidInputError
        With the server's words, or what is missing.
    """
    connection = trial.connection
    own = {name: value for name in FROM_CONNECTION if (value := getattr(connection, name)) is not None}
    base_url = connection.base_url.rstrip("/")
    found = try_out(ModelCall(connection=connection.name, base_url=base_url, model=connection.model, **own))
    same = ModelConnection.objects.filter(pk=connection.pk, base_url=connection.base_url, model=connection.model)
    same.update(takes_schema=found.takes_schema)
    said = found.reply.text.replace("\x00", "").strip()[:LONGEST_SHOWN]
    leave(trial, model=(found.reply.model or "")[:200], answer=said, seconds=found.seconds)


TRIALS = JobKind("trial", ConnectionTrial, try_connection)
