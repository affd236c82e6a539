"""Encryption of what must be read again and must not stand in a copy of the database: identifiers, tokens.

Keys are derived by HKDF from ``IDENTITY_KEYS``, or from ``SECRET_KEY`` where that is empty. The first one encrypts and
hashes; the others still read and find, until ``manage.py rotate_identities`` has written all with the first.
"""

import base64
import hashlib
import hmac
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from django.conf import settings

from annotation_platform.core.errors import ConflictError

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet


_rotations: dict[str, Callable[[], int]] = {}


class UnreadableSecretError(ConflictError):
    """It was encrypted with a key that this installation no longer has."""


def encrypt(text: str) -> str:
    return _cipher(_keys()).encrypt(text.encode()).decode()


def decrypt(token: str) -> str:
    """
    Raises
    ------
    UnreadableSecretError
        When none of the keys opens it.
    """
    from cryptography.fernet import InvalidToken

    try:
        return _cipher(_keys()).decrypt(token.encode()).decode()
    except InvalidToken:
        raise UnreadableSecretError("crowd.secret_unreadable") from None


def encrypt_again(token: str) -> str:
    """The same with the first key.

    Raises
    ------
    UnreadableSecretError
        When none of the keys opens it.
    """
    return encrypt(decrypt(token))


def add_rotation(name: str, rotate: Callable[[], int]) -> None:
    """Have an app above encrypt its secrets with the first key when the others are; it gives how many they were."""
    _rotations[name] = rotate


def rotate_others() -> int:
    """Encrypt the secrets of the apps above with the first key; give how many they were."""
    return sum(rotate() for rotate in _rotations.values())


def lookups(text: str, *, scope: str) -> list[str]:
    """What finds a text in a scope without being it: by the first key, then by the older ones."""
    return [
        hmac.new(_derived(key, b"identity lookup"), f"{scope}\x1f{text}".encode(), hashlib.sha256).hexdigest()
        for key in _keys()
    ]


def _keys() -> tuple[str, ...]:
    return tuple(settings.IDENTITY_KEYS) or (settings.SECRET_KEY, *map(str, settings.SECRET_KEY_FALLBACKS))


@cache
def _cipher(keys: tuple[str, ...]) -> "MultiFernet":
    from cryptography.fernet import Fernet, MultiFernet

    return MultiFernet([Fernet(base64.urlsafe_b64encode(_derived(key, b"identity encryption"))) for key in keys])


@cache
def _derived(key: str, purpose: bytes) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(key.encode())
