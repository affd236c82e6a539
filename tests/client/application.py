"""The platform for granian, with a worker that is the web server itself: what is asked for is done at once."""

import django

django.setup()

from annotation_platform.asgi import application as application  # noqa: E402
from workers.celery import app  # noqa: E402

app.conf.task_always_eager = True
