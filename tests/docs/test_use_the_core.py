"""The examples of docs/how-to/use-the-core.md print what stands below them, and need neither Django nor a network."""

import doctest
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/how-to/use-the-core.md"


def test_every_example_prints_what_stands_below_it() -> None:
    source = PAGE.read_text(encoding="utf-8").replace("```", "")
    test = doctest.DocTestParser().get_doctest(source, {}, PAGE.name, str(PAGE), 0)
    assert len(test.examples) > 20
    told: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert result.failed == 0, "".join(told)


def test_nothing_of_the_server_is_loaded() -> None:
    code = (
        "import sys; from annotation_platform.core.statistics.alpha import krippendorff_alpha;"
        "from annotation_platform.core.methods.judging import judge_prompts;"
        "print({'django', 'httpx2', 'openai', 'celery'} & set(sys.modules))"
    )
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout == "set()\n"
