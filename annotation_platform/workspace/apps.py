from django.apps import AppConfig


class WorkspaceConfig(AppConfig):
    name = "annotation_platform.workspace"
