"""Functions stay short enough to be read at a glance."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_LINES = 60


def functions() -> Iterator[tuple[str, int]]:
    """Where each function of the product and of its benchmarks stands, and how many lines it has beside its
    docstring."""
    for folder in ("annotation_platform", "workers", "client/src", "benchmarks", "scripts"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", lines_of_code(node)


def lines_of_code(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = node.body[0]
    has_docstring = ast.get_docstring(node) is not None
    docstring = (first.end_lineno or 0) - first.lineno + 1 if has_docstring else 0
    return (node.end_lineno or 0) - node.lineno + 1 - docstring


def test_no_function_is_too_long() -> None:
    found = dict(functions())
    assert len(found) > 1000
    assert [where for where, lines in found.items() if lines > MOST_LINES] == []
