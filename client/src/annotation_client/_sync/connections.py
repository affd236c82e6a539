# Written by client/scripts/make_sync.py from "_async"; change that.
"""Connections to model servers: a study's own, and those of the platform, which its staff keeps."""

from typing import Any

from annotation_client._sync.rows import Rows
from annotation_client._sync.transport import Transport


class Connections:
    """Of ``study.scoring`` the study's own; of ``platform`` those that all studies may use. Rows are mappings."""

    _transport: Transport
    _path: str

    def connections(self) -> Rows:
        """All of them, each with its last ``trial``; keys are never told."""
        return Rows(self._transport, f"{self._path}/connections")

    def connection(self, pk: int) -> dict[str, Any]:
        """One of them."""
        found: dict[str, Any] = self._transport.get(f"{self._path}/connections/{pk}")
        return found

    def add_connection(self, name: str, base_url: str, model: str, *, key: str = "", **settings: Any) -> dict[str, Any]:
        """A new one: the server's address with ``/v1`` at its end, a model, and prices and limits, if you like."""
        body = {"name": name, "base_url": base_url, "model": model, "key": key, **settings}
        found: dict[str, Any] = self._transport.post(f"{self._path}/connections", body)
        return found

    def change_connection(self, pk: int, **settings: Any) -> dict[str, Any]:
        """Change some of it. A key belongs to its address: send it again with another ``base_url``."""
        found: dict[str, Any] = self._transport.change(f"{self._path}/connections/{pk}", settings)
        return found

    def try_connection(self, pk: int) -> dict[str, Any]:
        """Have a worker ask its server one small thing; :meth:`connection` has what it answered, once it has."""
        found: dict[str, Any] = self._transport.post(f"{self._path}/connections/{pk}/try", {})
        return found
