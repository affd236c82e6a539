"""Several commands of ``manage.py`` in one process, one after the other: starting one takes two seconds of a processor.

For what a command says where its database does not answer or has no tables. That ``manage.py`` hands arguments and
exit status on is seen where a command has a process of its own.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = """
import contextlib, io, json, sys, traceback
from annotation_platform.command_line import main

def carried_out(command):
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        try:
            status = main(["manage.py", *command])
        except SystemExit as ended:
            status = ended.code
        except BaseException:
            traceback.print_exc()
            status = 1
    return [status, errors.getvalue()]

print(json.dumps([carried_out(command) for command in json.loads(sys.argv[1])]))
"""


class Said(NamedTuple):
    status: int
    errors: str


def carry_out(commands: Sequence[Sequence[str]], environment: dict[str, str]) -> list[Said]:
    """Exit status of each command, and what it wrote to standard error; the environment is added to the tests' own."""
    ours = {name: os.environ[name] for name in ("PATH", "DATA_DIR", "HOME") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(commands)],
        cwd=ROOT,
        env=ours | environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=60,
    )
    return [Said(*said) for said in json.loads(done.stdout)]
