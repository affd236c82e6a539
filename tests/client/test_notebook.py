"""The notebook of the documentation runs from the first cell to the last, and comes to what it says."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.client.conftest import Served
from tests.conftest import HOW_TO, chromium
from tests.workers.installation import ROOT

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("client"),
    pytest.mark.filterwarnings("default"),  # of the kernel's own libraries
]
FOLDER = ROOT / "docs" / "notebooks"


def test_from_model_outputs_to_a_release(served: Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if (found := chromium()) is None:
        pytest.skip(f"needs Chromium (not found; {HOW_TO})")
    monkeypatch.setenv("CHROMIUM", found)
    monkeypatch.setenv("ANNOTATION_URL", served.url)
    monkeypatch.setenv("ANNOTATION_TOKEN", served.token)
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "client" / "src"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(FOLDER / "from-model-outputs-to-a-release.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)  # what it printed is not kept in it
    done = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(FOLDER)}}).execute()
    told = "\n".join(
        str(output.get("text") or output.get("data", {}).get("text/plain"))
        for cell in done.cells
        for output in cell.get("outputs", ())
    )
    assert "Cy 8" in told
    assert "α of " in told
    assert "model-large    3.0" in told
    assert "manifest.json" in told
