"""Django as a WSGI application; ``asgi.py`` puts what takes requests in before it."""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

import workers  # noqa: F401  (so that tasks are bound to our Celery application)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_platform.settings")
application = get_wsgi_application()

# What is loaded now stays. Looking through it again and again, the garbage collector would hold up every tenth of the
# larger pages for as long as the page takes.
_ = get_resolver().url_patterns  # loads all views
gc.collect()
gc.freeze()
