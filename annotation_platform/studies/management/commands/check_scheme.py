"""``manage.py check_scheme FILE…``: what the study builder checks, in a terminal."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_platform.core.locations import key_path
from annotation_platform.core.schemes import SchemeError, build_scheme, read_scheme
from annotation_platform.core.schemes.languages import LANGUAGES
from annotation_platform.core.schemes.summary import summary, texts_of, texts_without

MOST_NAMED = 5


class Command(BaseCommand):
    help = "Check scheme files: every mistake with its line, or what is in the scheme. Nothing is stored."
    requires_system_checks: list[str] = []  # they load every page of the site

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a scheme in YAML or JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        wrong = [path for path in options["files"] if not self._is_right(path)]
        if wrong:
            count = len(options["files"])
            raise CommandError(f"{len(wrong)} of {count} files cannot be used." if count > 1 else "It cannot be used.")

    def _is_right(self, path: Path) -> bool:
        try:
            data = read_scheme(path.read_text(encoding="utf-8-sig"), source=str(path))
        except OSError as error:
            self.stderr.write(f"{path}: cannot be read ({error.strerror})")
            return False
        except UnicodeDecodeError as error:
            self.stderr.write(f"{path}: is not UTF-8 text (byte {error.start:,})")
            return False
        except SchemeError as error:
            self.stderr.write("\n".join(error.reasons))
            return False
        self.stdout.write(f"{path}: ok")
        for line in summary(build_scheme(data)):
            self.stdout.write(f"  {line}")
        for language in LANGUAGES:
            self.stdout.write(f"  {_in_language(data, language)}")
        return True


def _in_language(data: dict[str, Any], language: str) -> str:
    missing, count = texts_without(data, language), len(texts_of(data))
    if not missing:
        return f"{language}: all {count} texts"
    named = ", ".join(map(key_path, missing[:MOST_NAMED])) + (", …" if len(missing) > MOST_NAMED else "")
    return f"{language}: {count - len(missing)} of {count} texts; shown in {LANGUAGES[0]} instead: {named}"
