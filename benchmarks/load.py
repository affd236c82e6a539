"""A small closed-loop HTTP load: so many people at once, each sending the next request when the last is answered."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode


@dataclass(frozen=True)
class Request:
    path: str
    cookie: str
    form: dict[str, str]

    def encode(self, host: str) -> bytes:
        body = urlencode(self.form).encode()
        return (
            f"POST {self.path} HTTP/1.1\r\nHost: {host}\r\nCookie: {self.cookie}\r\nReferer: http://{host}/\r\n"
            f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
        ).encode() + body


@dataclass(frozen=True)
class Load:
    """What a load measured; ``failures`` are status lines other than the ones expected."""

    seconds: float
    latencies: list[float]
    failures: list[str]

    @property
    def per_second(self) -> float:
        return len(self.latencies) / self.seconds

    def quantile(self, q: float) -> float:
        return sorted(self.latencies)[min(int(q * len(self.latencies)), len(self.latencies) - 1)]


async def _person(host: str, port: int, requests: Sequence[Request], expected: bytes, load: Load) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    for request in requests:
        began = time.perf_counter()
        writer.write(request.encode(f"{host}:{port}"))
        head = await reader.readuntil(b"\r\n\r\n")
        length = next((int(line[15:]) for line in head.split(b"\r\n") if line[:15].lower() == b"content-length:"), 0)
        if length:
            await reader.readexactly(length)
        load.latencies.append(time.perf_counter() - began)
        status = head.split(b" ", 2)[1]
        if status not in expected.split():
            load.failures.append(head.split(b"\r\n", 1)[0].decode())
    writer.close()


def run_load(*, port: int, people: Sequence[Sequence[Request]], expected: str, host: str = "127.0.0.1") -> Load:
    """Send everybody's requests at once, each person's one after the other, over kept-alive connections."""
    load = Load(0.0, [], [])

    async def everybody() -> None:
        await asyncio.gather(*(_person(host, port, requests, expected.encode(), load) for requests in people))

    began = time.perf_counter()
    asyncio.run(everybody())
    return Load(time.perf_counter() - began, load.latencies, load.failures)
