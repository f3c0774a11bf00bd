"""Secrets in files by mistake: keys and tokens that can be recognised by their form."""

import re
from collections.abc import Iterator

# Texts of which the file must contain one before the pattern is tried, and the pattern.
RULES = {
    "private key": (("PRIVATE KEY",), r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----"),
    "AWS access key": (("AKIA", "ASIA"), r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    "Stripe key": (
        ("_live_", "whsec_"),
        r"\b[rs]k_live_[0-9A-Za-z]{16,}|\bwhsec_[0-9A-Za-z+/]{24,}",
    ),
    "GitHub token": (
        ("gho_", "ghp_", "ghr_", "ghs_", "ghu_", "github_pat_"),
        r"\bgh[oprsu]_[0-9A-Za-z]{36}|\bgithub_pat_[0-9A-Za-z_]{50,}",
    ),
    "GitLab token": (("glpat-",), r"\bglpat-[0-9A-Za-z_-]{20,}"),
    "Slack token": (
        ("xox", "/services/T"),
        r"\bxox[abeoprs]-[0-9A-Za-z-]{10,}|/services/T[0-9A-Z]{8,}/B[0-9A-Z]{8,}/",
    ),
    "Google key": (("AIza",), r"\bAIza[0-9A-Za-z_-]{35}"),
    "package index token": (
        ("pypi-AgE", "npm_"),
        r"\bpypi-AgE[0-9A-Za-z_-]{50,}|\bnpm_[0-9A-Za-z]{36}",
    ),
    "Poolsite token": (("ps_", "psv_"), r"\bpsv?_[0-9A-Za-z_-]{43,}"),
    "JSON web token": (
        ("eyJ",),
        r"\beyJ[0-9A-Za-z_-]{16,}\.eyJ[0-9A-Za-z_-]{16,}\.[0-9A-Za-z_-]{16,}",
    ),
    # Shorter passwords are examples (user:secret@). A server of this machine is a test's own.
    "password in an address": (
        ("@",),
        r"://[^\s/:@\"'<>{}$()]+:(?!password@)[^\s/:@\"'<>{}$()]{8,}@(?!127\.0\.0\.1|localhost)",
    ),
}


def leaks(text: str) -> Iterator[tuple[int, str]]:
    """Yield every line with a secret, and the kind of the secret, but never the secret itself."""
    for kind, (hints, rule) in RULES.items():
        if any(hint in text for hint in hints):
            for match in re.finditer(rule, text):
                yield text.count("\n", 0, match.start()) + 1, kind
