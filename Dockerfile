# One image for web, worker and beat; docker-compose.yml says which command each runs.
FROM python:3.11-slim

# Threads that keep heaps of their own keep what is freed, too; so there are two.
ENV MALLOC_ARENA_MAX=2 PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /app

COPY requirements.txt .
RUN pip install -r requirements.txt

COPY manage.py .
COPY annotation_platform annotation_platform
COPY frontend_templates frontend_templates
COPY workers workers

# The charts' JavaScript is made here, and static files get hashed names and compressed copies.
# Nothing secret is needed for that.
ENV STATIC_ROOT=/app/staticfiles DATA_DIR=/data
RUN PLATFORM_MODE=production SECRET_KEY=only-to-collect-static-files-and-kept-by-nobody ALLOWED_HOSTS=localhost \
    DATABASE_URL=postgres://none@localhost/none REDIS_URL=redis://localhost \
    sh -c "python manage.py build_assets && python manage.py collectstatic --noinput" \
 && useradd --system --uid 10001 --home-dir /data platform \
 && install --directory --owner platform --group platform /data

USER platform
VOLUME /data
EXPOSE 8000
ENV PLATFORM_MODE=production PYTHONPATH=/app
CMD ["granian", "--interface", "asginl", "--host", "0.0.0.0", "--port", "8000", "--workers", "2", "--respawn-failed-workers", "--http1-header-read-timeout", "10000", "--no-ws", "annotation_platform.asgi:application"]

# Asks as the proxy would, by a name that ALLOWED_HOSTS has (docker-compose.yml adds localhost).
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://localhost:8000/health/', timeout=4)"]
