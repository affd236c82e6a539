from django.apps import AppConfig


class AnnotationsConfig(AppConfig):
    name = "annotation_platform.annotations"
