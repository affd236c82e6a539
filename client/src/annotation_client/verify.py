#!/usr/bin/env python3
"""Check a release: python3 verify.py [FOLDER]. Needs nothing but Python; every release has a copy of this file.

The manifest lists each file with its size and SHA-256; the SHA-256 of the manifest itself names the whole release. The
folder may come from anybody: nothing outside it is read, no link is followed, and names are told without what would
steer a terminal.
"""

import hashlib
import json
import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"
PIECE = 1 << 20
LARGEST_MANIFEST = 64 << 20
LARGEST_FILE = 1 << 60
SHA256 = re.compile(r"[0-9a-f]{64}")


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()


def problems_of(folder: Path) -> list[str]:
    """What is wrong with the release in a folder, a sentence each; nothing when it is as it was frozen."""
    manifest = folder / MANIFEST
    try:
        if not stat.S_ISREG(manifest.lstat().st_mode):
            return [f"{MANIFEST} is a link or no plain file, so nothing can be checked."]
        if manifest.stat().st_size > LARGEST_MANIFEST:
            return [f"{MANIFEST} has more than {LARGEST_MANIFEST:,} bytes, so it is none of a release."]
        entries = json.loads(manifest.read_text(encoding="utf-8"))["files"]
        if not isinstance(entries, list):
            return [f"{MANIFEST} lists no files, so nothing can be checked."]
    except FileNotFoundError:
        return [f"There is no {MANIFEST} in {folder}, so this is no release, or a part of it is missing."]
    except (ValueError, KeyError, TypeError, OSError, RecursionError) as error:
        return [f"{MANIFEST} cannot be read ({told(str(error))}), so nothing can be checked."]
    listed: dict[str, dict[str, Any]] = {}
    found = []
    for number, entry in enumerate(entries, start=1):
        if because := _why_no_entry(entry, listed):
            found.append(f"Entry {number:,} of {MANIFEST} {because}.")
        else:
            listed[entry["path"]] = entry
    found += [because for path, entry in listed.items() if (because := _why_not(folder, path, entry))]
    names = set(listed) | {MANIFEST}
    return found + [
        f"{told(path)} does not belong to the release." for path in sorted(_there(folder)) if path not in names
    ]


def why_no_path(path: str) -> str:
    """What is wrong with the path of a file in a release; empty when nothing is."""
    if not path:
        return "names no file"
    if any(part in ("", ".", "..") for part in path.split("/")) or re.search(r"[\\:\0]", path):
        return f"names {told(path)}, which is no path inside the folder"
    return ""


def told(text: str) -> str:
    """As it can be printed."""
    return text if text.isprintable() else ascii(text)


def _why_no_entry(entry: object, listed: dict[str, dict[str, Any]]) -> str:
    if not isinstance(entry, dict):
        return "is none"
    path, size, sha256 = (entry.get(name) for name in ("path", "size", "sha256"))
    if not isinstance(path, str):
        return "names no file"
    if because := why_no_path(path):
        return because
    if path in listed or path == MANIFEST:
        return f"names {told(path)} once more"
    if type(size) is not int or not 0 <= size < LARGEST_FILE:
        return f"gives {told(path)} no size that a file can have"
    if not isinstance(sha256, str) or not SHA256.fullmatch(sha256):
        return f"gives {told(path)} no SHA-256"
    return ""


def _why_not(folder: Path, path: str, entry: dict[str, Any]) -> str:
    """What is wrong with a file; no part of its path may be a link."""
    file = folder
    try:
        for part in path.split("/"):
            file = file / part
            status = file.lstat()
            if stat.S_ISLNK(status.st_mode):
                return f"{told(path)} is a link, or lies behind one."
        if not stat.S_ISREG(status.st_mode):
            return f"{told(path)} is no plain file."
        if status.st_size != entry["size"]:
            return f"{told(path)} has {status.st_size:,} bytes instead of {entry['size']:,}."
        if sha256_of(file) != entry["sha256"]:
            return f"{told(path)} was changed: its SHA-256 is another one."
    except (FileNotFoundError, NotADirectoryError):
        return f"{told(path)} is missing."
    except (OSError, ValueError) as error:
        return f"{told(path)} cannot be read ({told(str(error))})."
    return ""


def _there(folder: Path) -> Iterator[str]:
    """Whatever lies in the folder and is no folder itself; links are not followed."""
    for where, folders, files in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(where, name))]
        for name in (*files, *links):
            yield Path(where, name).relative_to(folder).as_posix()


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else Path(__file__).resolve().parent
    found = problems_of(folder)
    for problem in found:
        print(problem)
    if not found:
        print(f"All files are as they were frozen. SHA-256 of the release: {sha256_of(folder / MANIFEST)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
