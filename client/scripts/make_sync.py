"""Write ``_sync`` from ``_async``: ``python client/scripts/make_sync.py``; with ``--check``, say whether it is in step.

There is one definition, with ``await``; taking the word away, and the names that go with it, gives the other.
"""

import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "annotation_client"
WRITTEN = '# Written by client/scripts/make_sync.py from "_async"; change that.\n'
REPLACED = (
    (r"\basync (def|for|with)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\b_async\b", "_sync"),
    (r"\bAsyncClient\b", "Client"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\b__a(iter|enter|exit)__", r"__\1__"),
    (r"\ba(iter_lines|iter_bytes|read)\b", r"\1"),
    (r"\baclose\b", "close"),
    (r"^import asyncio\n", ""),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"\banext\b", "next"),
)


def in_sync(text: str) -> str:
    for pattern, replacement in REPLACED:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    if "time.sleep" in text and not re.search(r"^import time$", text, flags=re.MULTILINE):
        first = r"^(import json\n|(?=from ))"
        text = re.sub(first, r"\1import time\n", text, count=1, flags=re.MULTILINE)
    return WRITTEN + text if text else text


def written() -> dict[Path, str]:
    """Each file of ``_sync`` and what is to be in it, before formatting."""
    return {
        PACKAGE / "_sync" / path.name: in_sync(path.read_text(encoding="utf-8"))
        for path in sorted((PACKAGE / "_async").glob("*.py"))
    }


def squeezed(text: str) -> str:
    """Without what a formatter changes."""
    return re.sub(r"[\s,()]+", "", text)


def main(arguments: list[str]) -> int:
    behind = [path for path, text in written().items() if squeezed(_there(path)) != squeezed(text)]
    if "--check" in arguments:
        for path in behind:
            print(f"{path} is behind; run client/scripts/make_sync.py.")
        return 1 if behind else 0
    for path, text in written().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


def _there(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else "missing"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
