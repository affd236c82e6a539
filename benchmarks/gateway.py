"""Requests to a language model a second: the gateway, with every reply saved, beside a bare loop that saves nothing.

``python -m benchmarks.gateway`` asks a local server that takes 50 ms for each reply, 32 requests at a time. The peer is
what one would write by hand: an asyncio loop over the openai client, one coroutine for each place. Ours claims every
request, keeps every reply as a row of PostgreSQL (where one answers; BENCH_POSTGRES_URL names the server), and
reads it back to the caller. Each round asks new questions. The client, the server and the database share the machine.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from statistics import median

from benchmarks.protocol import Side, compare
from benchmarks.saving import prepared_environment

CONCURRENCY = 32
LATENCY = 0.05  # seconds
REQUESTS = 1_600  # a round; at best 2.5 s
ROUNDS = 7
LONGEST = 60  # seconds of rounds: the whole ends within three minutes, on a busy machine with fewer rounds
PROMPT = "You read what an annotator wrote and say how complete the answer is. " * 20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--serve", action="store_true", help="be the model server")
    parser.add_argument("--measure", action="store_true", help="measure here, with this environment's database")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve())
    elif options.measure:
        measure(options.rounds)
    else:
        with prepared_environment("postgresql") as environment:
            if environment is None:
                return 0
            environment["DJANGO_SETTINGS_MODULE"] = "annotation_platform.settings"
            command = [sys.executable, "-m", "benchmarks.gateway", "--measure", "--rounds", str(options.rounds)]
            subprocess.run(command, env=environment, check=True)
    return 0


def measure(rounds: int) -> None:
    import django

    django.setup()
    from annotation_platform.scoring.gateway import Gateway, Request
    from annotation_platform.scoring.models import Completion
    from annotation_platform.scoring.parameters import ModelCall

    rounds_asked = count()
    with model_server() as url:
        parameters = ModelCall(model="tiny", base_url=url, concurrency=CONCURRENCY)

        def prompts() -> list[str]:
            number = next(rounds_asked)
            return [f"{PROMPT} Round {number}, question {n}." for n in range(REQUESTS)]

        replies_of_ours: list[int] = []

        def ours() -> int:
            asked = (Request(n, [{"role": "user", "content": prompt}]) for n, prompt in enumerate(prompts()))
            told = [completion for _, completion in Gateway(parameters).complete(asked)]
            replies = [int(completion.reply) for completion in told if isinstance(completion, Completion)]
            replies_of_ours.append(len(replies))
            return sum(replies)

        comparison = compare(
            Side("gateway, every reply saved", ours),
            Side("bare asyncio loop", lambda: asyncio.run(bare(url, prompts()))),
            same=lambda one, other: one == other,
            rounds=rounds,
            longest=LONGEST,
        )
    assert Completion.objects.count() == sum(replies_of_ours), "not every reply was saved"
    print(f"{REQUESTS} requests, {CONCURRENCY} at a time, {LATENCY * 1000:g} ms each, PostgreSQL:")
    print(comparison)
    best, ideal = min(comparison.our_seconds), REQUESTS / CONCURRENCY * LATENCY
    print(
        f"{REQUESTS / best:,.0f} requests a second at best, where waiting alone allows {REQUESTS / ideal:,.0f}; "
        f"{median(comparison.ratios):.0%} of the bare loop's throughput (aim: at least 90 %)"
    )


async def bare(url: str, prompts: list[str]) -> int:
    """The peer: as many coroutines as places, each asking for the next prompt until there is none."""
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    remaining, total = iter(prompts), 0

    async def place() -> None:
        nonlocal total
        for prompt in remaining:
            reply = await client.chat.completions.create(
                model="tiny", messages=[{"role": "user", "content": prompt}], temperature=0.0, max_tokens=512
            )
            total += int(reply.choices[0].message.content or 0)

    await asyncio.gather(*(place() for _ in range(CONCURRENCY)))
    await client.close()
    return total


@contextmanager
def model_server() -> Iterator[str]:
    """A model server in a process of its own; it prints its port."""
    command = [sys.executable, "-m", "benchmarks.gateway", "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.terminate()


async def serve() -> None:
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Reply to every request on one connection with the number of the question, after a while."""
    try:
        while head := (await reader.readuntil(b"\r\n\r\n")).lower():
            length = int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
            request = json.loads(await reader.readexactly(length))
            await asyncio.sleep(LATENCY)
            number = request["messages"][-1]["content"].rsplit(" ", 1)[1].rstrip(".")
            body = json.dumps(
                {
                    "id": "chatcmpl-1",
                    "object": "chat.completion",
                    "created": 1,
                    "model": "tiny",
                    "choices": [
                        {
                            "index": 0,
                            "message": {"role": "assistant", "content": number},
                            "finish_reason": "stop",
                        }
                    ],
                    "usage": {"prompt_tokens": 300, "completion_tokens": 1, "total_tokens": 301},
                }
            ).encode()
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            )
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


if __name__ == "__main__":
    raise SystemExit(main())
