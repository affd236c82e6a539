"""``build_assets`` writes the drawing library once, without a network."""

from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command


def build() -> str:
    out = StringIO()
    call_command("build_assets", stdout=out, verbosity=2)
    return out.getvalue()


def test_the_bundle_is_written_once_and_again_after_an_upgrade(settings: Any, tmp_path: Path) -> None:
    settings.STATICFILES_DIRS = [tmp_path]
    assert "Wrote vega.js" in build()
    bundle = tmp_path / "vendor" / "vega.js"
    assert "window.vegaEmbed=" in bundle.read_text(encoding="utf-8")
    assert "is current" in build()
    bundle.write_text("// of an older version\n", encoding="utf-8")
    assert "Wrote vega.js" in build()
    assert list(bundle.parent.iterdir()) == [bundle]
