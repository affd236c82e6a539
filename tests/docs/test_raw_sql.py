"""SQL of our own stands in a few named modules, each beside the test that compares its rows with those of the ORM."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import lanes

ROOT = Path(__file__).resolve().parents[2]

# What writes SQL for the platform's database, and the test that holds its rows against plain objects.
FENCED = {
    "annotation_platform/analysis/explorer/keyset.py": "tests/analysis/explorer/test_keyset.py",
    "annotation_platform/analysis/measuring/columns.py": "tests/analysis/test_columns.py",
    "annotation_platform/api/frame/holding.py": "tests/api/test_keys_of_requests.py",
    "annotation_platform/api/judgments/lines.py": "tests/api/test_lines.py",
    "annotation_platform/annotations/sql.py": "tests/annotations/test_sql.py",
    "annotation_platform/corpus/columns.py": "tests/corpus/test_columns.py",
    "annotation_platform/imports/sql.py": None,  # ANALYZE: it gives no rows
    "annotation_platform/releases/selectors/dialects.py": "tests/releases/test_sql.py",
    "annotation_platform/releases/selectors/query.py": "tests/releases/test_sql.py",
    "annotation_platform/releases/services/blocks.py": "tests/releases/test_sql.py",
    "annotation_platform/releases/services/reading.py": "tests/releases/test_reading.py",
    "annotation_platform/server/compiled_queries.py": "tests/server/test_compiled_queries.py",
    "annotation_platform/server/copied.py": "tests/server/test_copied.py",
}
# SQL for a file of its own: what is read of somebody's files lies in an SQLite file until it is imported.
OWN_FILE = "annotation_platform/corpus/importers/"

CALLS = {"RawSQL", "RunSQL", "as_sql", "cursor", "executescript", "extra", "raw"}
STATEMENT = re.compile(
    r"\s*(SELECT\b.+\bFROM\b|INSERT INTO\b|UPDATE\b.+\bSET\b|DELETE FROM\b|COPY \(|ANALYZE$|(CREATE|ALTER|DROP) TABLE\b"
    r"|(LEFT |CROSS |INNER )?JOIN \w|CAST\(|BEGIN (DEFERRED|IMMEDIATE|ISOLATION))",
    re.DOTALL,
)


def raw_sql(source: str) -> Iterator[int]:
    """The lines with SQL: calls that take it, templates of expressions, methods that compile, texts that are it."""
    return (
        node.lineno for node in ast.walk(ast.parse(source)) if isinstance(node, ast.expr | ast.stmt) and _says(node)
    )


def _says(node: ast.expr | ast.stmt) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name in CALLS or (name == "Func" and any(each.arg == "template" for each in node.keywords))
        case ast.FunctionDef(name=name):
            return name in ("as_sql", "as_sqlite", "as_postgresql")
        case ast.Constant(value=str(text)):
            return bool(STATEMENT.match(text))
        case ast.JoinedStr(values=parts):
            texts = (str(part.value) if isinstance(part, ast.Constant) else "filled_in" for part in parts)
            return bool(STATEMENT.match("".join(texts)))
    return False


def modules() -> Iterator[tuple[str, str]]:
    for folder in ("annotation_platform", "workers"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in path.parts:
                yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def test_sql_is_written_in_the_named_modules_only() -> None:
    found = {name for name, source in modules() if any(raw_sql(source)) and not name.startswith(OWN_FILE)}
    assert sorted(found - FENCED.keys()) == [], "write it with the ORM, or name the module here beside its test"
    assert sorted(FENCED.keys() - found) == [], "no SQL is left there: take it off the list"


def test_each_has_its_test() -> None:
    assert [test for test in FENCED.values() if test and not (ROOT / test).is_file()] == []


@pytest.mark.parametrize("test", sorted({test for test in FENCED.values() if test}))
def test_it_runs_on_both_databases(test: str) -> None:
    folder = Path(test).parts[1]
    assert folder in lanes.STORAGE_FOLDERS or "pytest.mark.storage" in (ROOT / test).read_text(encoding="utf-8")


def test_readers_of_files_know_no_database_but_their_own() -> None:
    importers = [(name, source) for name, source in modules() if name.startswith(OWN_FILE)]
    assert importers
    assert [name for name, source in importers if re.search(r"^\s*(from|import) django\.db\b", source, re.M)] == []


@pytest.mark.parametrize(
    "source",
    [
        "connection.cursor()",
        "Study.objects.raw('x')",
        "Study.objects.extra(where=['x'])",
        "RawSQL('x', [])",
        "Func(F('a'), template='%(expressions)s')",
        "sql = 'SELECT id FROM studies_study'",
        "sql = f'''\n  SELECT {names} FROM studies_study'''",
        "def as_sqlite(self): ...",
    ],
)
def test_sql_is_seen(source: str) -> None:
    assert any(raw_sql(source))


@pytest.mark.parametrize("source", ["rows.filter(name='from')", "text = 'Select a file from the list'", "Func(F('a'))"])
def test_other_code_is_not(source: str) -> None:
    assert not any(raw_sql(source))
