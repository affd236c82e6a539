"""What is done with model connections: adding and changing one."""

from typing import Any

from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import differences, record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.scoring.keys import encrypt_key
from annotation_platform.scoring.models import ConnectionTrial, ModelConnection

TOLD = ("name", "base_url", "model", "key_variable", "price_in", "price_out", "concurrency", "timeout", "is_active")
PATIENCE = 600.0  # seconds: a long prompt takes a processor its time


@transaction.atomic
def save_connection(
    *, connection: ModelConnection, key: str = "", forget_key: bool = False, actor: Actor
) -> ModelConnection:
    """Store a connection that has been checked; a key that is given replaces the one that is there.

    A key was given for one address. When the address changes and no key comes along, the stored one is dropped, so
    that nobody can have it sent elsewhere.
    """
    before = ModelConnection.objects.filter(pk=connection.pk).first()
    was = _told(before) if before is not None else {}
    if forget_key or (before is not None and before.base_url != connection.base_url):
        connection.encrypted_key = ""
    if key:
        connection.encrypted_key, connection.key_variable = encrypt_key(key), ""
    if before is not None and (before.base_url, before.model) != (connection.base_url, connection.model):
        connection.takes_schema = None
    connection.save()
    ConnectionTrial.objects.filter(connection=connection).delete()  # what it said of the connection may hold no more
    change = differences(was, _told(connection) | ({"key": "replaced"} if key else {}))
    record(actor, Verb.CONNECTION_SAVED, connection, study=connection.study, change=change)
    return connection


def _told(connection: ModelConnection) -> dict[str, Any]:
    """What an event says of a connection: its settings, and of its key only whether there is one."""
    return {name: getattr(connection, name) for name in TOLD} | {"key": "kept" if connection.encrypted_key else "none"}


def connect_local(name: str, address: str, model: str, *, at_once: int, actor: Actor) -> ModelConnection:
    """Store a server of this machine, which costs nothing, in the place of a connection of the same name."""
    connection = ModelConnection.objects.filter(name=name).first() or ModelConnection(name=name)
    if connection.study_id is not None:
        raise InvalidInputError("scoring.connection_name_taken", name=name)
    connection.base_url, connection.model = address, model
    connection.concurrency, connection.timeout = at_once, PATIENCE
    connection.price_in = connection.price_out = 0.0
    connection.key_variable, connection.is_active = "", True
    return save_connection(connection=connection, forget_key=True, actor=actor)
