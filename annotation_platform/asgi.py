"""What the web server runs: ``granian --interface asginl annotation_platform.asgi:application``."""

import gc
from threading import Timer

from django.conf import settings

from annotation_platform.server.adapter import BufferedWsgi
from annotation_platform.wsgi import application as wsgi

from annotation_platform.server.uploads import upload_limit  # isort: skip  # needs the apps, which wsgi loads

application = BufferedWsgi(
    wsgi, threads=settings.WEB_THREADS, most=settings.REQUEST_MAX_BYTES, upload_limit=upload_limit
)


def load_charts() -> None:
    """Altair takes a fifth of a second of processor time, for which the first chart would wait."""
    from annotation_platform.analysis.charts import registry  # noqa: F401

    gc.freeze()  # as in wsgi.py


LOAD_CHARTS_AFTER = 3.0  # seconds: the first pages after a start come first
_loading = Timer(LOAD_CHARTS_AFTER, load_charts)
_loading.daemon = True
_loading.start()
