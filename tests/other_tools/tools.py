"""The tools and their versions, with no more of what they ask for than what is run here needs."""

from tests.other_tools.environments import Tool

ARGILLA = Tool("argilla", ("argilla==2.8.0", "requests"))
LABEL_STUDIO = Tool("label_studio", ("label-studio-sdk==2.1.2",))
INCEPTION = Tool("inception", ("dkpro-cassis==0.12.0",))
POTATO = Tool("potato", ("potato-annotation==2.12.1",))
DOCCANO = Tool("doccano", ("doccano==1.8.4", "marshmallow<4", "numpy<2"))  # newer ones break what it asks for
INSPECT = Tool("inspect", ("inspect-ai==0.3.285",))
LM_EVAL = Tool("lm_eval", ("datasets==5.2.0", "jinja2", "requests", "tqdm"), ("lm-eval==0.4.13",))
OPENAI_EVALS = Tool(
    "openai_evals",
    (
        *("openai", "tqdm", "backoff", "blobfile", "lz4", "zstandard", "pydantic", "pyyaml", "requests", "numpy"),
        *("dacite", "beartype", "tiktoken", "filelock"),
    ),
    ("evals==3.0.1.post1",),
)
HELM = Tool(
    "helm",
    (
        *(
            "cattrs~=22.2",
            "colorlog",
            "dacite~=1.6",
            "Mako",
            "pandas~=2.0",
            "pyhocon",
            "ubelt",
            "retrying",
            "zstandard",
        ),
        *("sqlitedict<3", "bottle", "nltk", "rouge-score", "scipy", "scikit-learn", "tqdm", "requests", "pyyaml"),
        *("numpy<3", "filelock", "datasets==5.2.0"),
    ),
    ("crfm-helm==0.5.16", "uncertainty-calibration==0.1.4"),
)
DATASETS = Tool("datasets", ("datasets==5.2.0",))
LANGFUSE = Tool("langfuse", ("langfuse==5.0.4", "opentelemetry-exporter-otlp-json-file==0.66b1"))
LANGSMITH = Tool("langsmith", ("langsmith==0.15.1",))
OPENTELEMETRY = Tool(
    "opentelemetry",
    (
        *("opentelemetry-sdk==1.45.2", "opentelemetry-exporter-otlp-json-file==0.66b1", "openai", "httpx", "wrapt<2"),
        *("opentelemetry-instrumentation-openai-v2==2.3b0", "opentelemetry-util-genai==1.3b0"),
    ),
)
PHOENIX = Tool("phoenix", ("arize-phoenix-client==3.5.0", "pandas", "pyarrow", "openinference-instrumentation==0.1.72"))
TRL = Tool("trl", ("datasets==5.2.0", "transformers"), ("trl==1.16.0",))
