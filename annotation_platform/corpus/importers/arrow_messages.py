"""How much a message of an Arrow stream unpacks to, told by the message itself: the library unpacks before it tells.

A message is a flatbuffer (``Message.fbs``): its header is a table whose record batch lists its buffers and says whether
they are packed; each packed buffer begins with its length when it is not.
"""

from struct import unpack_from
from typing import Any

HEADER, DATA_OF_DICTIONARY, BUFFERS, COMPRESSION = 2, 1, 2, 3  # numbers of fields
LENGTH, BUFFER = 8, 16  # bytes


def unpacked_size(message: Any) -> int:
    """The bytes of a message's packed buffers when they are unpacked; 0 where they are not packed.

    Raises
    ------
    struct.error
        When it is no such message.
    """
    if message.type not in ("record batch", "dictionary"):
        return 0
    written = message.metadata.to_pybytes()
    batch = _table(written, _field(written, unpack_from("<I", written)[0], HEADER))
    if message.type == "dictionary":
        batch = _table(written, _field(written, batch, DATA_OF_DICTIONARY))
    if not _field(written, batch, COMPRESSION):
        return 0
    listed = _table(written, _field(written, batch, BUFFERS))
    size = 0
    for number in range(unpack_from("<I", written, listed)[0]):
        offset, length = unpack_from("<qq", written, listed + 4 + BUFFER * number)
        if length:
            size += max(length, unpack_from("<q", message.body.slice(offset, LENGTH).to_pybytes())[0])
    return size


def _table(written: bytes, at: int) -> int:
    """Where a table or list begins that a field refers to."""
    return at + int(unpack_from("<I", written, at)[0])


def _field(written: bytes, table: int, number: int) -> int:
    """Where a field of a table stands; 0 where it says nothing."""
    listed = table - unpack_from("<i", written, table)[0]
    place = 4 + 2 * number
    if place >= unpack_from("<H", written, listed)[0]:
        return 0
    offset = int(unpack_from("<H", written, listed + place)[0])
    return table + offset if offset else 0
