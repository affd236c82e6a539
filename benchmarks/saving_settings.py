"""The platform's settings with one more address."""

from annotation_platform.settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks.saving_urls"
