"""Many rows at once by the API, and reading them again: time and memory, over a real socket, on this machine.

python -m benchmarks.api [ITEMS …]      10,000 and 100,000 items unless said otherwise
"""

import json
import os
import resource
import sys
import tempfile
import threading
import time
from http.client import HTTPConnection
from statistics import quantiles
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

SIZES = (10_000, 100_000)
GETS = 200


class Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "annotation_platform.settings"}
        os.environ |= {"API_REQUESTS_A_MINUTE": "1000000"}
        import django

        django.setup()
        measure([int(each) for each in sys.argv[1:]] or SIZES)


def measure(sizes: Any) -> None:
    from django.core.management import call_command

    from annotation_platform.accounts.actors import Actor
    from annotation_platform.accounts.models import User
    from annotation_platform.accounts.tokens import create_token
    from annotation_platform.wsgi import application

    call_command("migrate", verbosity=0)
    user = User.objects.create_user("bench@example.org", is_staff=True)
    _, secret = create_token(user=user, name="bench", scopes=["manage"], actor=Actor.operator("benchmark"))
    server = make_server("127.0.0.1", 0, application, handler_class=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port, headers = server.server_address[1], {"Authorization": f"Bearer {secret}"}
    for size in sizes:
        body = rows(size)
        lines = headers | {"Content-Type": "application/x-ndjson"}
        seconds, status, told = ask(port, "POST", f"/api/v1/corpora?name=Rows{size}", body, lines)
        print(f"store {size:>7,} items: {seconds:6.2f} s ({len(body) / 1e6:.0f} MB, status {status}, {told[:60]!r})")
    times = [ask(port, "GET", "/api/v1/corpora/1", b"", headers)[0] for _ in range(GETS)]
    print(f"GET of one: p50 {1000 * sorted(times)[GETS // 2]:.1f} ms, p95 {1000 * quantiles(times, n=20)[-1]:.1f} ms")
    print(f"most memory of the process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    server.shutdown()


def ask(port: int, method: str, path: str, body: bytes, headers: dict[str, str]) -> tuple[float, int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=300)
    begun = time.perf_counter()
    connection.request(method, path, body, headers)
    reply = connection.getresponse()
    text = reply.read().decode()
    return time.perf_counter() - begun, reply.status, text


def rows(count: int) -> bytes:
    return "\n".join(
        json.dumps(
            {
                "question": f"What does owl {n} do at night, and why?",
                "answer": f"Owl {n} hunts at night since it hears well. It eats mice.",
                "system": ("alder", "birch", "cedar")[n % 3],
                "article": f"Owl {n // 10} lives in a forest. It hears well. It hunts mice at night.",
            }
        )
        for n in range(count)
    ).encode()


if __name__ == "__main__":
    main()
