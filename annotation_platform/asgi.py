"""What the web server runs: ``granian --interface asginl annotation_platform.asgi:application``."""

from django.conf import settings

from annotation_platform.server.adapter import BufferedWsgi
from annotation_platform.wsgi import application as wsgi

from annotation_platform.server.uploads import upload_limit  # isort: skip  # needs the apps, which wsgi loads

application = BufferedWsgi(
    wsgi, threads=settings.WEB_THREADS, most=settings.REQUEST_MAX_BYTES, upload_limit=upload_limit
)
