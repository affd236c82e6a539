"""What comes with a bundle of figures: how to use it, how to make it again, and every caption."""

import shlex

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.paper import latex
from annotation_platform.studies.models import Study


def readme(study: Study, snapshot: AgreementSnapshot, captions: list[tuple[str, str]]) -> str:
    name = shlex.quote(study.name)
    how = snapshot.head.intervals
    listed = "\n".join(f"- `{path}`: {caption}" for path, caption in captions)
    return f"""# Figures of “{study.name}”

Snapshot {snapshot.pk}, computed {snapshot.created_at:%Y-%m-%d %H:%M} UTC by version {snapshot.code_version}.

- Signature: `{snapshot.signature}` (captions have its first 16 characters)
- Of the data alone: `{snapshot.data_signature}`
- `provenance.json` has the parts that these are made of.

## Make it again

    python manage.py report_study {name} --json
    python manage.py paper_bundle {name} --output figures.zip

On the same judgments and scores, with version {snapshot.code_version} of the platform, both give the signature above.
{how.in_full} The reference is `docs/reference/statistics/` of the platform.

## Use it

- `figures/` has every chart as SVG, PNG and PDF, `tables/` every table as CSV (all digits) and LaTeX (as shown).
- `figures.tex` and `tables.tex` are to be put into a paper by `\\input`; `all.tex` is a document that holds both.
- LaTeX needs the packages booktabs, longtable and graphicx. Where names have letters that are not Latin, use
  LuaLaTeX or XeLaTeX with a font that has them; `all.tex` says where to name it.
- An empty cell of a CSV file is a value that is not defined, or that its row does not have. Where there is more to
  say, the column `undefined_because`, `empty_because` or `remark` says why.

## Captions

{listed}
"""


def whole_document(study: Study, snapshot: AgreementSnapshot) -> str:
    """A document with everything, to look at or to start from."""
    return rf"""\documentclass{{article}}
\usepackage{{iftex}}
\ifPDFTeX
\usepackage[T1]{{fontenc}}
\else
\usepackage{{fontspec}}
% Name a font here that has the letters of all names, such as:
% \setmainfont{{Noto Serif CJK JP}}
\fi
\usepackage[margin=2cm]{{geometry}}
\usepackage{{booktabs,longtable,graphicx}}
\title{{{latex.escape(study.name)}}}
\author{{Signature {snapshot.signature[:16]}}}
\date{{{snapshot.created_at:%Y-%m-%d}}}
\begin{{document}}
\maketitle
\listoffigures
\listoftables
\clearpage
\input{{figures.tex}}
\clearpage
\input{{tables.tex}}
\end{{document}}
"""
