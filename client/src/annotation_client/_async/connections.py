"""Connections to model servers: a study's own, and those of the platform, which its staff keeps."""

from typing import Any

from annotation_client._async.rows import AsyncRows
from annotation_client._async.transport import AsyncTransport


class AsyncConnections:
    """Of ``study.scoring`` the study's own; of ``platform`` those that all studies may use. Rows are mappings."""

    _transport: AsyncTransport
    _path: str

    def connections(self) -> AsyncRows:
        """All of them, each with its last ``trial``; keys are never told."""
        return AsyncRows(self._transport, f"{self._path}/connections")

    async def connection(self, pk: int) -> dict[str, Any]:
        """One of them."""
        found: dict[str, Any] = await self._transport.get(f"{self._path}/connections/{pk}")
        return found

    async def add_connection(
        self, name: str, base_url: str, model: str, *, key: str = "", **settings: Any
    ) -> dict[str, Any]:
        """A new one: the server's address with ``/v1`` at its end, a model, and prices and limits, if you like."""
        body = {"name": name, "base_url": base_url, "model": model, "key": key, **settings}
        found: dict[str, Any] = await self._transport.post(f"{self._path}/connections", body)
        return found

    async def change_connection(self, pk: int, **settings: Any) -> dict[str, Any]:
        """Change some of it. A key belongs to its address: send it again with another ``base_url``."""
        found: dict[str, Any] = await self._transport.change(f"{self._path}/connections/{pk}", settings)
        return found

    async def try_connection(self, pk: int) -> dict[str, Any]:
        """Have a worker ask its server one small thing; :meth:`connection` has what it answered, once it has."""
        found: dict[str, Any] = await self._transport.post(f"{self._path}/connections/{pk}/try", {})
        return found
