"""A figure's table as LaTeX (booktabs), and figures with captions; every text is escaped."""

import re

from annotation_platform.analysis.tables.base import FigureTable

LONGEST_ON_A_PAGE = 45  # rows; longer tables may break over pages
MOST_COLUMNS = 7  # beyond that the type is made smaller

SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",  # known in any encoding of fonts
    # What the platform itself writes, in commands that every LaTeX engine knows.
    "−": r"$-$",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
    "“": "``",
    "”": "''",
    "’": "'",
    "\u00a0": "~",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "→": r"$\rightarrow$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "ε": r"$\varepsilon$",
    "κ": r"$\kappa$",
    "λ": r"$\lambda$",
    "π": r"$\pi$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "ω": r"$\omega$",
    "ĝ": r"$\hat{g}$",
}
APART = r"\kern0pt{}"  # braces alone keep letters apart in pdfLaTeX, not in LuaLaTeX
_TOGETHER = r"[-–—](?=[-–—])|,(?=,)|[`‘?!](?=[`‘“])|['’](?=['’”])"
"""What LaTeX would draw together with what follows, as it does a dash of two hyphens."""
_SPECIAL = re.compile(f"(?P<together>{_TOGETHER})|{'|'.join(map(re.escape, SPECIAL))}")


def escape(text: str) -> str:
    """The text as LaTeX prints it letter for letter; line ends are spaces.

    >>> escape("a_b & 50%")
    'a\\\\_b \\\\& 50\\\\%'
    """
    return _SPECIAL.sub(_escaped, " ".join(text.split("\n"))).strip()


def _escaped(found: re.Match[str]) -> str:
    return SPECIAL.get(found[0], found[0]) + (APART if found["together"] else "")


def table(figure: FigureTable, *, caption: str, label: str) -> str:
    """The whole table with its caption; columns that are empty throughout are left out."""
    lines = figure.all_lines
    kept = [i for i, _ in enumerate(figure.columns) if any(line[i][0] not in ("", "–") for line in lines)]
    shape = "".join("r" if figure.columns[i].is_number else "l" for i in kept)
    heading = " & ".join(escape(figure.columns[i].heading) for i in kept) + r" \\"
    rows = [" & ".join(_cell(line[i][0]) for i in kept) + r" \\" for line in lines]
    size = r"\scriptsize" if len(kept) > MOST_COLUMNS else r"\small"
    if len(rows) > LONGEST_ON_A_PAGE:
        return _long(shape, heading, rows, escape(caption), label, size)
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            size,
            rf"\begin{{tabular}}{{{shape}}}",
            r"\toprule",
            heading,
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{escape(caption)}}}",
            rf"\label{{{label}}}",
            r"\end{table}",
            "",
        ]
    )


def picture(path: str, *, caption: str, label: str) -> str:
    """A figure that is a file, as wide as the column."""
    return "\n".join(
        [
            r"\begin{figure}",
            r"\centering",
            rf"\includegraphics[width=\linewidth]{{{path}}}",
            rf"\caption{{{escape(caption)}}}",
            rf"\label{{{label}}}",
            r"\end{figure}",
            "",
        ]
    )


def _cell(text: str) -> str:
    """A bracket at the start of a row would be read as the length after the line break before it."""
    found = escape(text)
    return f"{{{found}}}" if found.startswith(("[", "*")) else found


def _long(shape: str, heading: str, rows: list[str], caption: str, label: str, size: str) -> str:
    return "\n".join(
        [
            rf"{{{size}",
            rf"\begin{{longtable}}{{{shape}}}",
            rf"\caption{{{caption}}}\label{{{label}}}\\",
            r"\toprule",
            heading,
            r"\midrule",
            r"\endfirsthead",
            r"\toprule",
            heading,
            r"\midrule",
            r"\endhead",
            r"\bottomrule",
            r"\endfoot",
            *rows,
            r"\end{longtable}}",
            "",
        ]
    )
