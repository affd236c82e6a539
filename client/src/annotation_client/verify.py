#!/usr/bin/env python3
"""Check a release: python3 verify.py [FOLDER]. Needs nothing but Python; every release has a copy of this file.

The manifest lists each file with its size and SHA-256; the SHA-256 of the manifest itself names the whole release.
"""

import hashlib
import json
import sys
from pathlib import Path

MANIFEST = "manifest.json"
PIECE = 1 << 20


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
        listed = {str(each["path"]): each for each in json.loads(manifest.read_text(encoding="utf-8"))["files"]}
    except FileNotFoundError:
        return [f"There is no {MANIFEST} in {folder}, so this is no release, or a part of it is missing."]
    except (ValueError, KeyError, TypeError, OSError) as error:
        return [f"{MANIFEST} cannot be read ({error}), so nothing can be checked."]
    found = []
    for path, each in listed.items():
        file = folder / path
        if not file.is_file():
            found.append(f"{path} is missing.")
        elif file.stat().st_size != each["size"]:
            found.append(f"{path} has {file.stat().st_size:,} bytes instead of {each['size']:,}.")
        elif sha256_of(file) != each["sha256"]:
            found.append(f"{path} was changed: its SHA-256 is another one.")
    there = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    found += [f"{path} does not belong to the release." for path in sorted(there - set(listed) - {MANIFEST})]
    return found


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
