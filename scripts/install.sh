#!/usr/bin/env bash
# Makes .venv with a Python that is new enough and installs the given requirements file into it.
# Installs nothing when the file has not changed since. Usage: scripts/install.sh requirements.txt
set -euo pipefail
cd "$(dirname "$0")/.."
requirements=${1:-requirements.txt}
venv=.venv

find_python() {
  local candidate
  for candidate in ${PYTHON:-python3 python3.11 python3.12 python3.13 python3.14 python}; do
    if "$candidate" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  local found
  found=$(${PYTHON:-python3} --version 2>&1) || found="none"
  echo "Python 3.11 or newer, with its venv module, is needed (found: $found). Install it (on Debian: python3.11 and python3.11-venv), or name one: PYTHON=/path/to/python3.11 make …" >&2
  return 1
}

# What pip prints, cut down to a line or two for each package, so that a slow network does not look like a hang.
show_progress() {
  local line
  while IFS= read -r line; do
    case $line in
      Collecting* | Processing*) line=${line%% (from*} && echo "  ${line/#Processing *\//Collecting }" ;;
      *"Downloading "*.whl*) echo "    ${line#"${line%%[![:space:]]*}"}" ;;
      "Installing collected"*) echo "  Unpacking $(tr ',' '\n' <<<"$line" | wc -l | tr -d ' ') packages (half a minute or so) …" ;;
      ERROR* | error*) echo "  $line" ;;
    esac
  done
}

stamp_of() { echo "$venv/installed-$(basename "$1" .txt)"; }
stamp=$(stamp_of "$requirements")
wanted=$(cat requirements*.txt | cksum)
if [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && "$venv/bin/python" -c '' 2>/dev/null; then
  exit 0
fi

if ! "$venv/bin/python" -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  python=$(find_python)
  echo "Making $venv with $("$python" --version) …"
  "$python" -m venv --clear "$venv"
fi
echo "Installing $requirements into $venv (a minute or two the first time) …"
rm -f "$stamp"
if ! "$venv/bin/python" -m pip install --disable-pip-version-check --no-input --progress-bar off \
  --log "$venv/pip.log" -r "$requirements" 2>&1 | show_progress; then
  echo "The packages could not be installed; $venv/pip.log tells everything. Mend that and run it again." >&2
  exit 1
fi
echo "$wanted" >"$stamp"
for included in $(sed -n 's/^-r //p' "$requirements"); do
  echo "$wanted" >"$(stamp_of "$included")"
done
echo "  Installed."
