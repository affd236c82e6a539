from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    name = "annotation_platform.releases"
