#!/usr/bin/env bash
# All tests, each on the database that it is for: those that touch a database on PostgreSQL where TEST_DATABASE_URL
# answers, the others and those about storage on SQLite; all on SQLite where no server answers. Long tests when what
# they rest on has changed, or all of them after --all. With other arguments: those tests, on SQLite.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/.venv/bin:$PATH
unset PYTHONDONTWRITEBYTECODE  # each of the many processes would compile all modules again
# Several processes share the cores already: threads of linear algebra would only wait for each other, at full power.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
long=changed
only=()
case ${1:-} in
  --all)
    long=record
    export HYPOTHESIS_PROFILE=explore
    shift
    ;;
  --long)
    long=record
    only=(-m long)
    shift
    ;;
esac
if [ $# -gt 0 ]; then
  exec pytest "$@"
fi

: "${TEST_DATABASE_URL:=postgres://postgres@127.0.0.1:5432/postgres}"
: "${REDIS_URL:=redis://127.0.0.1:6379/15}"
failed=0
# Some more processes than cores: many tests wait for servers, workers and browsers.
first() {
  local lane=$1 processes=$2
  shift 2
  pytest --cache-clear -o "cache_dir=.pytest_cache/$lane" -n "$processes" --dist loadgroup --long "$long" "${only[@]}" \
    --lane "$lane" "$@"
}
# What failed runs once more, alone: a test that passes then is named, does not make the run red, and has a race to be
# found.
again() {
  local lane=$1 code=$2
  shift 2
  if [ "$code" -eq 1 ]; then
    echo "== Once more, one at a time, until one fails: what failed above ($lane)"
    code=0
    pytest -v -x -o "cache_dir=.pytest_cache/$lane" --last-failed --last-failed-no-failures none --long "$long" \
      --lane "$lane" "$@" || code=$?
  fi
  [ "$code" -eq 0 ] || failed=1
}
if reason=$(python -c "import psycopg, sys; psycopg.connect(sys.argv[1], connect_timeout=3)" "$TEST_DATABASE_URL" 2>&1); then
  # Both at once: each waits for other things. The core knows no database; reading its tests in three processes to
  # leave them all out takes a while.
  on_postgresql=("DATABASE_URL=$TEST_DATABASE_URL" "TEST_DB_NAME=test_annotation_platform_$$" "REDIS_URL=${REDIS_URL%/*}/14")
  told=$(mktemp)
  trap 'rm -f "$told"; kill $(jobs -p) 2>/dev/null || true' EXIT
  echo "== on PostgreSQL ($TEST_DATABASE_URL), and beside it on SQLite, which is told of when it has ended"
  first sqlite 2 >"$told" 2>&1 &
  sqlite=$! code=0
  (export "${on_postgresql[@]}" && first postgresql 3 --ignore tests/core) || code=$?
  wait "$sqlite" && sqlite=0 || sqlite=$?
  echo "== on SQLite"
  cat "$told"
  (export "${on_postgresql[@]}" && again postgresql $code --ignore tests/core; exit $failed) || failed=1
  again sqlite $sqlite
else
  echo "== PostgreSQL: skipped, no server at $TEST_DATABASE_URL (${reason##*$'\n'})."
  echo "   docs/how-to/run-the-tests.md says how to get one."
  echo "== on SQLite"
  code=0
  first everything 4 || code=$?
  again everything $code
fi
[ "$long" = record ] || echo "== Long tests ran where their files have changed since they last passed; make test-all runs all of them."
exit $failed
