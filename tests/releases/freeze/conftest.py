"""Releases of tests are in a folder of each test."""

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def releases_dir(settings: Any, tmp_path: Path) -> Path:
    folder = tmp_path / "releases"
    settings.RELEASES_DIR = folder
    return folder
