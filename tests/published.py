"""Where the released data lies that the papers' figures are computed from again: beside the repository, where it is."""

from pathlib import Path

_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
EBR = _DATA / "ebr"
EVOUNA = _DATA / "evouna" / "NQ.json"
