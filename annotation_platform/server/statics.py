"""Scripts and style sheets under names that hold a digest of what is in them, so that browsers keep them for good."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModuleStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # it has no types
    """What the question page's scripts import from each other gets such a name, too.

    Django can do so for all scripts, but then fails over those of libraries that import what is not there.
    """

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        *(
            (name, ((r"""(?P<matched>from ["'](?P<url>\./.*?)["'];)""", 'from "%(url)s";'),))
            for name in ("annotate*.js", "marked_texts.js", "span_marks.js")
        ),
    )
