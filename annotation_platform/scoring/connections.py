"""What is done with model connections: adding and changing one."""

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.scoring.keys import encrypt_key
from annotation_platform.scoring.models import ConnectionTrial, ModelConnection

PATIENCE = 600.0  # seconds: a long prompt takes a processor its time


def save_connection(*, connection: ModelConnection, key: str = "", forget_key: bool = False) -> ModelConnection:
    """Store a connection that has been checked; a key that is given replaces the one that is there.

    A key was given for one address. When the address changes and no key comes along, the stored one is dropped, so
    that nobody can have it sent elsewhere.
    """
    before = ModelConnection.objects.filter(pk=connection.pk).first()
    if forget_key or (before is not None and before.base_url != connection.base_url):
        connection.encrypted_key = ""
    if key:
        connection.encrypted_key, connection.key_variable = encrypt_key(key), ""
    connection.save()
    ConnectionTrial.objects.filter(connection=connection).delete()  # what it said of the connection may hold no more
    return connection


def connect_local(name: str, address: str, model: str, *, at_once: int) -> ModelConnection:
    """Store a server of this machine, which costs nothing, in the place of a connection of the same name."""
    connection = ModelConnection.objects.filter(name=name).first() or ModelConnection(name=name)
    if connection.study_id is not None:
        raise InvalidInputError("scoring.connection_name_taken", name=name)
    connection.base_url, connection.model = address, model
    connection.concurrency, connection.timeout = at_once, PATIENCE
    connection.price_in = connection.price_out = 0.0
    connection.key_variable, connection.is_active = "", True
    return save_connection(connection=connection, forget_key=True)
