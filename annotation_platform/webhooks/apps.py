from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "annotation_platform.webhooks"

    def ready(self) -> None:
        from annotation_platform.crowd.providers.vault.secrets import add_rotation
        from annotation_platform.webhooks import queueing, services

        queueing.follow()
        add_rotation("webhooks", services.rotate_keys)
