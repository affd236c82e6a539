"""The schemes that studies froze."""

from django.db import models

from annotation_platform.core.schemes import Scheme, build_scheme


class SchemeVersion(models.Model):
    """A scheme as it was when a study froze it. Never changed: an edited scheme is a new version."""

    key = models.CharField(max_length=40)
    number = models.PositiveIntegerField()
    definition = models.JSONField()
    signature = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "number"], name="scheme_version_once")]

    def __str__(self) -> str:
        return f"{self.key} v{self.number}"

    def scheme(self, language: str = "en") -> Scheme:
        """The frozen scheme in one language; built once per process, since a version never changes."""
        if (scheme := _built.get((self.signature, language))) is None:
            scheme = _built[self.signature, language] = build_scheme(self.definition, language)
        return scheme

    @classmethod
    def scheme_of(cls, signature: str, language: str = "en") -> Scheme | None:
        """The scheme of the version with this signature; None when there is no such version."""
        if (scheme := _built.get((signature, language))) is None:
            version = cls.objects.filter(signature=signature).first()
            scheme = version.scheme(language) if version else None
        return scheme


_built: dict[tuple[str, str], Scheme] = {}
