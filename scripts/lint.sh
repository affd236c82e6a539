#!/usr/bin/env bash
# Style, types, import rules, missing migrations, and Django's own checks under production settings.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/.venv/bin:$PATH
run() {
  echo "== $*"
  "$@"
}
run ruff check .
run ruff format --check .
run mypy
run lint-imports
run python manage.py makemigrations --check --dry-run
production=(
  PLATFORM_MODE=production SECRET_KEY="$(python -c 'import secrets; print(secrets.token_urlsafe(50))')"
  ALLOWED_HOSTS=platform.example.org DATABASE_URL=postgres://platform@localhost/platform REDIS_URL=redis://localhost
)
echo "== manage.py check --deploy, as in production"
env "${production[@]}" python manage.py check --deploy --fail-level WARNING
