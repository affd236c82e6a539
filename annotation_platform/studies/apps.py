from django.apps import AppConfig


class StudiesConfig(AppConfig):
    name = "annotation_platform.studies"
