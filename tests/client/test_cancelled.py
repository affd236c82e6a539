"""What is awaited and cancelled in the middle: nothing is lost, and the same goes on with the same platform."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from annotation_client import AsyncPlatform, Platform
from annotation_client.models import Corpus

from tests.client.annotators import ScriptedAnnotator
from tests.client.conftest import Served
from tests.client.test_client import ROWS
from tests.factories import judgment

pytestmark = pytest.mark.xdist_group("client")
ROWS_OF_CRANES = [{**row, "question": f"Cancelled: {row['question']}"} for row in ROWS]


def awaited(served: Served, ask: Callable[[AsyncPlatform], Awaitable[Any]]) -> Any:
    """In a thread of its own, for this one may have a loop already: the browser's."""

    async def asked() -> Any:
        async with AsyncPlatform(served.url, token=served.token) as platform:
            return await ask(platform)

    with ThreadPoolExecutor(1) as apart:
        return apart.submit(lambda: asyncio.run(asked())).result()


async def cancelled_once(begun: asyncio.Event, task: "asyncio.Task[Any]") -> None:
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_an_upload_goes_on_where_it_was(served: Served, tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    rows = "".join(f"Q{n}?,Ada,{os.urandom(500).hex()},alder\n" for n in range(5_500))
    path.write_text(f"question,reference_answers,answer,system\n{rows}")

    async def ask(platform: AsyncPlatform) -> tuple[list[int], Any]:
        begun = asyncio.Event()
        how: dict[str, Any] = {"target": "corpus", "scheme": "equivalence", "name": "Cancelled"}
        await cancelled_once(
            begun,
            asyncio.create_task(platform.imports.send(path, progress=lambda done, _: done > 0 and begun.set(), **how)),
        )
        places: list[int] = []
        sent = await platform.imports.send(path, progress=lambda done, _: places.append(done), **how)
        return places, await sent.store(progress=False, poll=0.1)

    places, stored = awaited(served, ask)
    assert isinstance(stored, Corpus)
    assert 0 < places[0] < places[-1] == path.stat().st_size


def test_a_study_whose_rows_were_stored_goes_on_with_them(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(platform: AsyncPlatform) -> tuple[Any, Any, int]:
        begun, made = asyncio.Event(), platform._transport.make

        async def and_tell(path: str, **how: Any) -> Any:
            if path == "/studies" and not begun.is_set():
                begun.set()
                await asyncio.sleep(60)
            return await made(path, **how)

        monkeypatch.setattr(platform._transport, "make", and_tell)

        def create() -> Any:
            return platform.studies.create("Cancelled cranes", scheme="ebr", items=ROWS_OF_CRANES)

        await cancelled_once(begun, asyncio.create_task(create()))
        first, again = await create(), await create()
        names = [each.name for each in await platform.studies.corpora()]
        return first.record, again.record, names.count("Cancelled cranes")

    first, again, corpora = awaited(served, ask)
    assert first == again
    assert corpora == 1


def test_what_is_read_or_downloaded_is_whole_afterwards(served: Served, tmp_path: Path) -> None:
    with Platform(served.url, token=served.token) as platform:
        rows = [{**row, "answer": os.urandom(200_000).hex()} for row in ROWS]
        study = platform.studies.create("Cancelled downloads", scheme="ebr", items=rows, overlap=1)
        study.release()
        ScriptedAnnotator(study.invite(max_uses=1).link or "", "Wren", lambda _: judgment()).work(study.slug)
        study.close()
        made = study.freeze("All", authors=["Moor, Ada"], licence="CC-BY-4.0", progress=False, poll=0.1)
        study.settle(made.number, {each.id: "kept" for each in made.findings}, progress=False, poll=0.1)

    async def ask(platform: AsyncPlatform) -> tuple[int, Path, int]:
        begun, same = asyncio.Event(), await platform.studies.get(study.slug)

        async def read_some() -> None:
            async for _ in same.items():
                begun.set()
                await asyncio.sleep(60)

        await cancelled_once(begun, asyncio.create_task(read_some()))
        count = len(await same.items().to_list())
        taking = asyncio.create_task(same.download_release(1, tmp_path))
        while not list(tmp_path.glob("*.part")):
            await asyncio.sleep(0.001)
        taking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await taking
        root = await same.download_release(1, tmp_path)
        pool: Any = platform._transport._client._transport
        return count, root, sum(not each.is_idle() for each in pool._pool.connections)

    count, root, busy = awaited(served, ask)
    assert count == len(ROWS)
    assert (root / "manifest.json").exists()
    assert [path.name for path in tmp_path.iterdir()] == [root.name]
    assert busy == 0
