from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "annotation_platform.jobs"
