"""Run as a program in an installation: ask a model so many questions, when told to begin.

Its arguments are a name for the questions, their number, and the call's parameters as JSON.
"""

import json
import sys

import django

django.setup()

import openai  # noqa: E402, F401  # slow to import: everybody begins at the same moment

from annotation_platform.scoring.gateway import Gateway, Request  # noqa: E402
from annotation_platform.scoring.parameters import ModelCall  # noqa: E402

name, number, parameters = sys.argv[1], int(sys.argv[2]), ModelCall(**json.loads(sys.argv[3]))
print("ready", flush=True)
sys.stdin.readline()
asked = (Request(n, [{"role": "user", "content": f"{name} {n}"}]) for n in range(number))
print(len(list(Gateway(parameters).complete(asked))), flush=True)
