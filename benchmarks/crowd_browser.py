"""An annotator's browser in a crowd: a connection that is kept alive, and what it is told."""

import asyncio
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from urllib.parse import urlencode

TRIES = 60  # of one request, a second apart


@dataclass
class Told:
    """What the annotators measured and were told."""

    seconds: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    sent: set[str] = field(default_factory=set)
    saved: set[str] = field(default_factory=set)
    finished: list[tuple[int, int]] = field(default_factory=list)
    again: Counter[str] = field(default_factory=Counter)
    reopened: int = 0
    """Connections that the server had closed while nobody asked for anything; the next request opened them anew."""
    errors: list[str] = field(default_factory=list)


class Browser:
    """One annotator's connection, which is kept alive and opened anew when it breaks."""

    def __init__(self, port: int, cookie: str, told: Told, *, is_calm: bool) -> None:
        self._port, self._cookie, self._told, self._is_calm = port, cookie, told, is_calm
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def ask(self, kind: str, path: str, form: dict[str, str] | None = None) -> tuple[int, str, bytes]:
        """Status, the address that it leads to, and the page; sent again while the server is away."""
        for _ in range(TRIES):
            began = time.perf_counter()
            try:
                status, location, body = await asyncio.wait_for(self._once(path, form), 60)
            except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
                self.close()
                self._note(f"{kind}: {type(error).__name__}")
            else:
                self._told.seconds[kind].append(time.perf_counter() - began)
                if status < 500:
                    return status, location, body
                self._note(f"{kind}: {status}")
            await asyncio.sleep(1)
        raise RuntimeError(f"{kind} {path} was never answered: {self._told.again}")

    def _note(self, what: str) -> None:
        self._told.again[what] += 1
        if self._is_calm:
            self._told.errors.append(what)

    async def _once(self, path: str, form: dict[str, str] | None) -> tuple[int, str, bytes]:
        """One request, on a new connection where the last one was closed while it was idle, as browsers do it."""
        is_reused = self._writer is not None
        try:
            return await self._exchange(path, form)
        except asyncio.IncompleteReadError as error:
            if not is_reused or error.partial:
                raise
        self.close()
        self._told.reopened += 1
        return await self._exchange(path, form)

    async def _exchange(self, path: str, form: dict[str, str] | None) -> tuple[int, str, bytes]:
        if self._writer is None or self._reader is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        host = f"127.0.0.1:{self._port}"
        body = b"" if form is None else urlencode(form).encode()
        head = [
            f"{'GET' if form is None else 'POST'} {path} HTTP/1.1",
            f"Host: {host}",
            f"Referer: http://{host}/",
            f"Cookie: {self._cookie}",
            "Content-Type: application/x-www-form-urlencoded",
            f"Content-Length: {len(body)}",
        ]
        self._writer.write("\r\n".join([*head, "", ""]).encode() + body)
        answered = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in answered[1:])}
        page = await self._reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection", "") == "close":
            self.close()
        return int(answered[0].split(" ")[1]), headers.get("location", ""), page

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None
