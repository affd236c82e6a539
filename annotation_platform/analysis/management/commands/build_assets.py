"""``manage.py build_assets``: write the JavaScript that draws charts, from the installed vl-convert."""

import os
from importlib.metadata import version
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Write the charts' JavaScript bundle into the static files (no network needed); does nothing when current."

    def handle(self, *args: Any, **options: Any) -> None:
        path = Path(settings.STATICFILES_DIRS[0]) / "vendor" / "vega.js"
        made_by = f"vl-convert {version('vl-convert-python')}"
        mark = f"// Vega, Vega-Lite and Vega-Embed (BSD-3-Clause), as bundled by {made_by}\n"
        if path.is_file():
            with path.open(encoding="utf-8") as file:
                if file.readline() == mark:
                    if options["verbosity"] > 1:
                        self.stdout.write(f"{path.name} is current.")
                    return
        import vl_convert

        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}.part")  # several may be at it at once
        bundle = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # its stub forgets the default
        unfinished.write_text(mark + bundle, encoding="utf-8")
        unfinished.replace(path)
        self.stdout.write(f"Wrote {path.name} ({path.stat().st_size // 1024:,} KB).")
