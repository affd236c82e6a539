"""Loaded by schemathesis: most requests name what is there, or none would get beyond “not there”."""

import os
from typing import Any
from zlib import crc32

import schemathesis

SLUG = os.environ["API_SLUG"]
KEYS, SECTIONS = 9, ("krippendorff_alpha", "pairwise_tau", "consensus", "means", "mean_by_system")
KINDS = ("run", "snapshot", "export", "release", "import")


schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")  # a part of an upload


@schemathesis.hook
def before_call(context: Any, case: Any, **kwargs: Any) -> None:
    """Seven of eight requests are led to rows that are there; which, follows from what was drawn."""
    drawn = crc32(repr((case.path_parameters, case.query, case.body)).encode(errors="replace"))
    if not case.path_parameters or drawn % 8 == 0:
        return
    small = drawn // 8
    known = {
        "slug": SLUG,
        "id": 1 + small % KEYS,
        "number": 1 + small % 3,
        "position": 1 + small % 2,
        "annotator": 1 + small % 4,
        "member": 1 + small % 4,
        "assignment": small % KEYS,
        "line": 1 + small % 3,
        "message": 1 + small % 3,
        "section": SECTIONS[small % len(SECTIONS)],
        "name": f"{KINDS[small % len(KINDS)]}-{1 + small % 3}",
        "key": "ebr",
        "task": 1 + small % 3,
        "other": 1,
        "path": "data/items.csv",
        "tool": "argilla",
    }
    case.path_parameters = {name: known.get(name, value) for name, value in case.path_parameters.items()}
