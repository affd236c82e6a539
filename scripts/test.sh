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
failed=0
# Four processes, on two cores too: many tests wait for servers, workers and browsers. What failed there runs once
# more, alone: a test that passes then is named, does not make the run red, and has a race to be found.
run() {
  local code=0
  pytest --cache-clear -n 4 --dist loadgroup --long "$long" "${only[@]}" "$@" || code=$?
  if [ $code -eq 1 ]; then
    echo "== Once more, one at a time, until one fails: what failed above"
    pytest -v -x --last-failed --last-failed-no-failures none --long "$long" "$@" && code=0
  fi
  [ $code -eq 0 ] || failed=1
}
if reason=$(python -c "import psycopg, sys; psycopg.connect(sys.argv[1], connect_timeout=3)" "$TEST_DATABASE_URL" 2>&1); then
  echo "== on PostgreSQL ($TEST_DATABASE_URL)"
  # The core knows no database; reading its tests in three processes to leave them all out takes a while.
  DATABASE_URL=$TEST_DATABASE_URL TEST_DB_NAME=test_annotation_platform_$$ run --lane postgresql --ignore tests/core
  lane=sqlite
else
  echo "== PostgreSQL: skipped, no server at $TEST_DATABASE_URL (${reason##*$'\n'})."
  echo "   docs/how-to/run-the-tests.md says how to get one."
  lane=everything
fi
echo "== on SQLite"
run --lane $lane
[ "$long" = record ] || echo "== Long tests ran where their files have changed since they last passed; make test-all runs all of them."
exit $failed
