#!/usr/bin/env bash
# All tests, each on the database that it is for: those that touch a database on PostgreSQL where TEST_DATABASE_URL
# answers, the others and those about storage on SQLite, both at the same time; all on SQLite where no server answers.
# Long tests when what they rest on has changed, or all of them after --all; where LONG_WITHIN is set, none begins after
# so many seconds. With other arguments: those tests, on SQLite.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/.venv/bin:$PATH
unset PYTHONDONTWRITEBYTECODE  # each of the many processes would compile all modules again
# Several processes share the cores already: threads of linear algebra would only wait for each other, at full power.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
long=changed
only=()
[ -z "${LONG_WITHIN:-}" ] || only=(--long-within "$LONG_WITHIN")
case ${1:-} in
  --all)
    long=all
    export HYPOTHESIS_PROFILE=explore
    shift
    ;;
  --long)
    long=all
    only=(-m long)
    shift
    ;;
esac
if [ $# -gt 0 ]; then
  exec pytest "$@"
fi

: "${TEST_DATABASE_URL:=postgres://postgres@127.0.0.1:5432/postgres}"

take() {  # LANE [OPTION…]: its tests; each lane notes by itself what failed
  local lane=$1
  shift
  pytest --lane "$lane" --long "$long" -o cache_dir=".pytest_cache/$lane" "$@"
}

share() {  # LANE PROCESSES
  take "$1" --cache-clear -n "$2" --dist loadgroup "${only[@]}"
}

# What failed beside others runs once more, alone: a test that passes then is named, does not make the run red, and
# has a race to be found.
pass() {  # LANE CODE: whether all of it has passed
  [ "$2" -ne 0 ] || return 0
  [ "$2" -eq 1 ] || return 1
  echo "== Once more, one at a time, until one fails: what failed on $1"
  take "$1" -v -x --last-failed --last-failed-no-failures none
}

on_postgresql() {
  DATABASE_URL=$TEST_DATABASE_URL TEST_DB_NAME=test_annotation_platform_$$ "$@"
}

# Five processes, on two cores too: many tests wait for servers, workers and browsers. Each imports the tests of its
# own lane alone, and none is idle until the last lane ends.
failed=0
if reason=$(python -c "import psycopg, sys; psycopg.connect(sys.argv[1], connect_timeout=3)" "$TEST_DATABASE_URL" 2>&1); then
  told=$(mktemp)
  set -m  # in a group of its own, so that it hears an interruption
  share sqlite 2 >"$told" 2>&1 &
  set +m
  other=$!
  trap 'exit 130' INT
  trap 'kill -INT -- "-$other" 2>/dev/null || true; rm -f "$told"' EXIT
  echo "== on PostgreSQL ($TEST_DATABASE_URL); on SQLite meanwhile, told below"
  code=0 other_code=0
  on_postgresql share postgresql 3 || code=$?
  wait "$other" || other_code=$?
  echo "== on SQLite"
  cat "$told"
  on_postgresql pass postgresql $code || failed=1
  pass sqlite $other_code || failed=1
else
  echo "== PostgreSQL: skipped, no server at $TEST_DATABASE_URL (${reason##*$'\n'})."
  echo "   docs/how-to/run-the-tests.md says how to get one."
  echo "== on SQLite"
  code=0
  share everything 4 || code=$?
  pass everything $code || failed=1
fi
[ "$long" = all ] || echo "== Long tests ran where their files have changed since they last passed; make test-all runs all of them."
exit $failed
