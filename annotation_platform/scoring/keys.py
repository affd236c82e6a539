"""Keys of model servers: from a named environment variable, or encrypted in the connection's row. Never shown."""

import base64
import hashlib
import re
from typing import TYPE_CHECKING

from django.conf import settings

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.scoring.models import ModelConnection
from annotation_platform.scoring.models.connections import KEY_VARIABLE

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet  # 8 MB in every process, for the few that meet a stored key


def encrypt_key(key: str) -> str:
    """Only this installation, by its SECRET_KEY, can read it again."""
    return _cipher().encrypt(key.encode()).decode()


def key_of(connection: ModelConnection) -> str:
    """The key that a connection's server wants; empty when it wants none.

    Raises
    ------
    InvalidInputError
        When the variable is not set, or may not be read for a key, or the stored key cannot be decrypted.
    """
    if connection.encrypted_key:
        from cryptography.fernet import InvalidToken

        try:
            return _cipher().decrypt(connection.encrypted_key.encode()).decode()
        except InvalidToken:
            raise InvalidInputError("scoring.key_unreadable", connection=connection) from None
    if not connection.key_variable:
        return ""
    # Whoever edits connections must not get at other secrets by naming their variables.
    key = settings.MODEL_KEYS.get(connection.key_variable, "")
    if not re.fullmatch(KEY_VARIABLE, connection.key_variable) or not key:
        raise InvalidInputError("scoring.key_variable_unset", connection=connection, variable=connection.key_variable)
    return str(key)


def check_key(key: str) -> None:
    """
    Raises
    ------
    InvalidInputError
        When it cannot be sent: a header takes printable ASCII only.
    """
    if not key.isascii() or not key.isprintable() or " " in key:
        raise InvalidInputError("scoring.key_malformed")


def key_source(connection: ModelConnection) -> str:
    """Where the key comes from, for people."""
    return f"the connection “{connection}”" if connection.encrypted_key else connection.key_variable or "its request"


def _cipher() -> "MultiFernet":
    from cryptography.fernet import Fernet, MultiFernet

    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(_derived(str(secret)))) for secret in secrets])


def _derived(secret: str) -> bytes:
    return hashlib.blake2b(secret.encode(), digest_size=32, person=b"model keys").digest()
