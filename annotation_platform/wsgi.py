"""The WSGI entry point: ``granian --interface wsgi annotation_platform.wsgi:application``."""

import os

from django.core.wsgi import get_wsgi_application

import workers  # noqa: F401  (so that tasks are bound to our Celery application)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_platform.settings")
application = get_wsgi_application()
