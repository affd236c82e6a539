"""What the statistics load: a worker keeps it in memory for as long as it runs."""

import subprocess
import sys

ALL = (
    "import pkgutil, sys; from importlib import import_module; from annotation_platform.core import statistics;"
    "[import_module(f'{statistics.__name__}.{each.name}') for each in pkgutil.iter_modules(statistics.__path__)];"
    "sys.exit(bool({'scipy.stats', 'pandas', 'sklearn'} & set(sys.modules)))"
)


def test_none_loads_scipys_own_statistics_before_it_needs_them() -> None:
    """They take 35 MB and a third of a second; `scipy.special` has the distributions."""
    subprocess.run([sys.executable, "-c", ALL], check=True, timeout=60)
