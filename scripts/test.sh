#!/usr/bin/env bash
# All tests: those with a database on PostgreSQL when TEST_DATABASE_URL answers, then all on SQLite. With arguments:
# those tests, on SQLite. What is skipped names its reason.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/.venv/bin:$PATH
if [ $# -gt 0 ]; then
  exec pytest "$@"
fi

: "${TEST_DATABASE_URL:=postgres://postgres@127.0.0.1:5432/postgres}"
failed=0
# Three processes, on two cores too: many tests wait for servers, workers and browsers.
# Left to the other run: what touches no database, brings its own, or is about the browser.
if reason=$(python -c "import psycopg, sys; psycopg.connect(sys.argv[1], connect_timeout=3)" "$TEST_DATABASE_URL" 2>&1); then
  echo "== on PostgreSQL ($TEST_DATABASE_URL)"
  DATABASE_URL=$TEST_DATABASE_URL TEST_DB_NAME=test_annotation_platform_$$ \
    pytest -n 3 --dist loadgroup -m "not browser" --ignore tests/core --ignore tests/deployment || failed=1
else
  echo "== PostgreSQL: skipped, no server at $TEST_DATABASE_URL (${reason##*$'\n'})."
  echo "   docs/how-to/run-the-tests.md says how to get one."
fi
echo "== on SQLite"
pytest -n 3 --dist loadgroup || failed=1
exit $failed
