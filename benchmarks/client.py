"""What the Python client costs on top of bare httpx2: the same requests to the same server, one after the other.

python -m benchmarks.client [JUDGMENTS]      4,000 unless said otherwise; needs the tests' requirements
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import httpx2

if TYPE_CHECKING:
    from annotation_client import Platform

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "client" / "src"))

JUDGMENTS, GETS, ROUNDS = 4_000, 200, 5
FILE = 20_000_000  # bytes

SEED = """
import sys, django; django.setup()
from annotation_platform.studies.models import Role
from tests.api.clients import token_for
from tests.factories import MemberFactory, make_corpus, study_with_judgments
corpus = make_corpus(articles=max(int(sys.argv[1]) // 200, 1), questions=8, systems=tuple("abcde"))
study = study_with_judgments(name="Owls", annotators=5, corpus=corpus)
admin = MemberFactory(study=study, role=Role.ADMIN)
print(study.slug, token_for(admin.user))
"""


def main() -> None:
    from tests.client.conftest import serving
    from tests.workers.installation import Installation

    asked = int(sys.argv[1]) if len(sys.argv) > 1 else JUDGMENTS
    with (
        tempfile.TemporaryDirectory() as folder,
        Installation(Path(folder), API_REQUESTS_A_MINUTE="10000000") as installation,
    ):
        slug, token = installation.run("-c", SEED, str(asked)).split()
        with serving(installation) as url:
            measure(url, token, slug)


def measure(url: str, token: str, slug: str) -> None:
    from annotation_client import Platform

    bare = httpx2.Client(headers={"Authorization": f"Bearer {token}"}, timeout=60)
    study_at, lines_at = f"{url}/api/v1/studies/{slug}", f"{url}/api/v1/studies/{slug}/judgments"
    with Platform(url, token=token) as platform:
        study = platform.studies.get(slug)

        def bare_gets() -> int:
            return sum(bare.get(study_at).json()["slug"] == slug for _ in range(GETS))

        def our_gets() -> int:
            return sum(platform.studies.get(slug).slug == slug for _ in range(GETS))

        def bare_lines() -> int:
            with bare.stream("GET", lines_at, headers={"Accept": "application/x-ndjson"}) as reply:
                return sum(bool(json.loads(line)) for line in reply.iter_lines())

        def our_lines() -> int:
            return sum(bool(row) for row in study.judgments())

        compare(f"{GETS} single GETs", bare_gets, our_gets)
        compare("all judgments as lines", bare_lines, our_lines)
        measure_files(url, bare, platform)


def measure_files(url: str, bare: httpx2.Client, platform: "Platform") -> None:
    """A large file up, at once and in parts, and down again, at once and with what lets it go on; bytes of each."""
    with tempfile.TemporaryDirectory() as folder:
        rows, there = Path(folder) / "rows.csv", Path(folder) / "there"
        row = f"Why?,{'So. ' * 240}\n"
        rows.write_text("question,answer\n" + row * (FILE // len(row)))

        def forget(sent: int) -> None:
            """What is sent once more would be known to be there."""
            bare.delete(f"{url}/api/v1/imports/{sent}").raise_for_status()

        def bare_upload() -> int:
            with rows.open("rb") as file:
                reply = bare.post(f"{url}/api/v1/imports", files=[("files", ("rows.csv", file))])
            forget(reply.json()["id"])
            return rows.stat().st_size

        def our_upload() -> int:
            forget(platform.imports.send(rows, progress=False).record.id)
            return rows.stat().st_size

        compare("bytes sent for an import", bare_upload, our_upload)
        study = platform.studies.all()[0]
        export = study.export(there.with_suffix(".jsonl"), poll=0.1).file or ""

        def bare_download() -> int:
            with bare.stream("GET", export) as reply, there.open("wb") as file:
                for piece in reply.iter_bytes():
                    file.write(piece)
            return there.stat().st_size

        def our_download() -> int:
            return platform._transport.download(export, there).stat().st_size

        compare("bytes of an export", bare_download, our_download)


def compare(what: str, bare: Callable[[], int], ours: Callable[[], int]) -> None:
    """The median of rounds in turn, so that both meet the same machine."""
    seconds: dict[str, list[float]] = {"bare": [], "ours": []}
    both = [("bare", bare), ("ours", ours)]
    for _ in range(ROUNDS):
        both.reverse()
        for name, work in both:
            begun = time.perf_counter()
            count = work()
            seconds[name].append(time.perf_counter() - begun)
    one, other = median(seconds["bare"]), median(seconds["ours"])
    print(f"{what} ({count:,}): httpx2 {one:.3f} s, client {other:.3f} s, {other / one - 1:+.1%}", flush=True)


if __name__ == "__main__":
    main()
