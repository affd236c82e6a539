"""What groups of long tests rest on, for ``pytest.mark.long``: patterns of files, relative to the repository."""

CORE = ("annotation_platform/core/**/*.*", "tests/core/**/*.py")
JOBS = (
    "annotation_platform/jobs/**/*.py",
    "annotation_platform/settings*.py",
    "workers/**/*.py",
    "tests/workers/*.py",
)
SCORING = (*JOBS, "annotation_platform/scoring/**/*.py", "tests/servers/*.py")
SERVICES = (
    *JOBS,
    "Dockerfile",
    "docker-compose.yml",
    "annotation_platform/server/**/*.py",
    "annotation_platform/middleware.py",
    "annotation_platform/wsgi.py",
    "scripts/*",
)
ACCESS = (
    "annotation_platform/api/**/*.py",
    "annotation_platform/accounts/*.py",
    "annotation_platform/studies/*.py",
    "tests/api/**/*.py",
)
PAGES = ("frontend_templates/**/*.html", "annotation_platform/static/*", "tests/browser/conftest.py")
# All of it: what such a test finds can only change with the platform, its page scripts or how it is started.
PLATFORM = (
    *PAGES,
    *(f"annotation_platform/**/*.{kind}" for kind in ("py", "yaml", "toml", "txt", "md", "npz", "jsonl", "gz", "mo")),
    "frontend_templates/**/*",
    "workers/**/*.py",
    "scripts/*",
    "docker-compose.yml",
    "Makefile",
    "manage.py",
)
# What decides the figures of a study and how its pages show them: the apps that analysis imports, and the settings.
FIGURES = (
    *(
        f"annotation_platform/{app}/**/*.*"
        for app in ("accounts", "analysis", "annotations", "core", "corpus", "jobs", "scoring", "server", "studies")
    ),
    "annotation_platform/*.py",
    *(f"frontend_templates/{folder}/**/*.*" for folder in ("accounts", "analysis", "frame")),
    "frontend_templates/*.html",
)
ANSWER_EQUIVALENCE = (
    "annotation_platform/core/methods/equivalence/*",
    "annotation_platform/core/statistics/*.py",
)
REV = (
    "annotation_platform/core/methods/rev/**/*.py",
    "benchmarks/rev*",
    "requirements-models.txt",
    "tests/core/tiny_models.py",
)
CHARTS = (
    "annotation_platform/analysis/charts/*.py",
    "annotation_platform/analysis/sections/*/*.py",
    "annotation_platform/analysis/tables/*.py",
)
ANALYSIS = (
    "annotation_platform/analysis/**/*.py",
    "annotation_platform/releases/**/*.py",
    "annotation_platform/core/schemes/**/*",
    "annotation_platform/core/statistics/**/*.py",
    "frontend_templates/analysis/**/*",
    "frontend_templates/releases/**/*",
)
