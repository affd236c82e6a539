"""What an admin does with model connections: add, change, try."""

from annotation_platform.scoring.gateway import Trial, try_out
from annotation_platform.scoring.keys import encrypt_key
from annotation_platform.scoring.models import ModelConnection
from annotation_platform.scoring.parameters import FROM_CONNECTION, ModelCall


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
    return connection


def try_connection(*, connection: ModelConnection) -> Trial:
    """Send one tiny request, of which nothing is kept.

    Raises
    ------
    ModelRequestError, ModelServerError, InvalidInputError
        With the server's words, or what is missing.
    """
    own = {name: value for name in FROM_CONNECTION if (value := getattr(connection, name)) is not None}
    base_url = connection.base_url.rstrip("/")
    return try_out(ModelCall(connection=connection.name, base_url=base_url, model=connection.model, **own))
