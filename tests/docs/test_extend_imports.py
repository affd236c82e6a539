"""The examples in docs/how-to/extend.md import in the order that the linter wants, so that they go in as they are."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/how-to/extend.md").read_text(encoding="utf-8")
EXAMPLES = [each for each in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "import " in each]


@pytest.mark.parametrize("example", EXAMPLES)
def test_imports_are_in_order(example: str) -> None:
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--select",
        "I",
        "--stdin-filename",
        "annotation_platform/example.py",
        "-",
    ]
    said = subprocess.run(command, input=example, cwd=ROOT, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr


def test_there_are_examples() -> None:
    assert len(EXAMPLES) > 8
