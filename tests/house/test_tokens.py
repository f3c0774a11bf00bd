"""The contrasts that static/tokens.css promises, computed, and its palette against the admin's."""

import math
import re
from pathlib import Path
from typing import Any

import pytest
from unfold.settings import CONFIG_DEFAULTS

TOKENS = (Path(__file__).resolve().parents[2] / "static" / "tokens.css").read_text()
THEMES = ("light", "dark")
TEXT = 4.5
GRAPHIC = 3.0

Colour = tuple[float, float, float]


def _pairs() -> dict[str, tuple[str, str]]:
    found = re.findall(r"--([\w-]+):\s*light-dark\((#\w{6}),\s*(#\w{6})\)", TOKENS)
    return {name: (light, dark) for name, light, dark in found}


PAIRS = _pairs()


def _token(name: str, theme: str) -> Colour:
    code = PAIRS[name][THEMES.index(theme)]
    red, green, blue = (int(code[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def _luminance(colour: Colour) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: Colour, other: Colour) -> float:
    """Return WCAG 2.1's contrast ratio."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


# (foreground, background, least ratio)
RULES = [
    *[(word, ground, TEXT) for word in ("strong", "text") for ground in ("surface", "bg", "inset")],
    *[("muted", ground, TEXT) for ground in ("surface", "bg", "subtle", "sidebar")],
    *[("acc-t", ground, TEXT) for ground in ("surface", "bg", "acc-bg", "acc-soft", "inset")],
    ("on-acc", "acc", TEXT),
    ("on-acc", "acc-hover", TEXT),
    *[
        (tone, ground, TEXT)
        for tone in ("ok", "warn", "bad")
        for ground in ("surface", f"{tone}-bg")
    ],
    ("info", "info-bg", TEXT),
    ("on-call", "call", TEXT),
    *[(f"{tone}-g", "surface", GRAPHIC) for tone in ("ok", "warn", "bad")],
    ("ctl", "surface", GRAPHIC),
    ("acc-l", "surface", GRAPHIC),
    ("acc-l", "bg", GRAPHIC),
    *[
        (edge, "surface", GRAPHIC)
        for edge in ("ready-edge", "call", "lost", "offline-edge", "quarantined", "wrap-up")
    ],
    *[
        (f"mode-{mode}", "surface", GRAPHIC)
        for mode in ("native-text", "native-card", "yuexin-resolved", "video")
    ],
]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("drawn", "ground", "least"), RULES)
def test_what_must_be_read_or_seen_stands_out_from_its_ground(
    drawn: str, ground: str, least: float, theme: str
) -> None:
    ratio = _contrast(_token(drawn, theme), _token(ground, theme))
    assert ratio >= least - 0.005, f"{drawn} on {ground} in {theme}: {ratio:.2f}"


def test_muted_words_never_stand_on_an_inset_in_light() -> None:
    assert _contrast(_token("muted", "light"), _token("inset", "light")) < TEXT
    sheets = Path(__file__).resolve().parents[2] / "static" / "css"
    for sheet in sheets.glob("*.css"):
        for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", sheet.read_text()):
            both = "background: var(--inset)" in body and re.search(
                r"(?<![-\w])color: var\(--muted\)", body
            )
            assert not both, f"{sheet.name}: {selector.strip()}"


@pytest.mark.parametrize("theme", THEMES)
def test_the_filled_number_states_stay_apart_for_every_kind_of_sight(theme: str) -> None:
    filled = [_token(name, theme) for name in ("ready", "call", "lost")]
    for kind in MACHADO:
        seen = [_oklab(_seen(colour, kind)) for colour in filled]
        for index, one in enumerate(seen):
            for other in seen[index + 1 :]:
                assert math.dist(one, other) * 100 >= 25, (kind, one, other)


# Machado, Oliveira, Fernandes 2009: severity 1.0, on linear light.
MACHADO = {
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def _linear(colour: Colour) -> Colour:
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour)
    return red, green, blue


def _times(matrix: tuple[Colour, Colour, Colour], vector: Colour) -> Colour:
    one, two, three = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)
    return one, two, three


def _seen(colour: Colour, kind: str) -> Colour:
    """Return the colour, in linear light, as people with this kind of vision see it."""
    red, green, blue = (min(1.0, max(0.0, c)) for c in _times(MACHADO[kind], _linear(colour)))
    return red, green, blue


def _oklab(linear: Colour) -> Colour:
    to_lms = (
        (0.4122214708, 0.5363325363, 0.0514459929),
        (0.2119034982, 0.6806995451, 0.1073969566),
        (0.0883024619, 0.2817188376, 0.6299787005),
    )
    long, medium, short = (math.copysign(abs(c) ** (1 / 3), c) for c in _times(to_lms, linear))
    to_lab = (
        (0.2104542553, 0.7936177850, -0.0040720468),
        (1.9779984951, -2.4285922050, 0.4505937099),
        (0.0259040371, 0.7827717662, -0.8086757660),
    )
    return _times(to_lab, (long, medium, short))


def _srgb_of_oklch(text: str) -> str:
    """Return a colour in the admin's notation as #rrggbb."""
    lightness, chroma, hue = (
        float(part.rstrip("%")) for part in text.removeprefix("oklch(").rstrip(")").split()
    )
    lightness /= 100
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    cubes = (
        (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3,
        (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3,
        (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3,
    )
    back = (
        (4.0767416621, -3.3077115913, 0.2309699292),
        (-1.2684380046, 2.6097574011, -0.3413193965),
        (-0.0041960863, -0.7034186147, 1.7076147010),
    )
    channels = (
        12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055
        for c in (max(0.0, value) for value in _times(back, cubes))
    )
    return "#" + "".join(f"{min(255, round(c * 255)):02x}" for c in channels)


@pytest.mark.parametrize("family", ["base", "primary"])
def test_the_palette_is_that_of_the_admin_theme(family: str) -> None:
    ours = dict(re.findall(rf"--{family}-(\d+):\s*(#\w{{6}})", TOKENS))
    colors: Any = CONFIG_DEFAULTS["COLORS"]
    theirs = {step: _srgb_of_oklch(value) for step, value in colors[family].items()}
    assert ours.keys() == theirs.keys()
    for step, code in theirs.items():
        near = zip(bytes.fromhex(ours[step][1:]), bytes.fromhex(code[1:]), strict=True)
        assert all(abs(a - b) <= 2 for a, b in near), f"{family}-{step}: {ours[step]} and {code}"


def test_every_colour_token_has_both_themes() -> None:
    lonely = re.findall(r"--([\w-]+):\s*#\w{3,8}\s*;", TOKENS)
    assert all(name.startswith(("base-", "primary-")) for name in lonely), lonely


def test_no_style_sheet_but_the_tokens_names_a_colour() -> None:
    sheets = Path(__file__).resolve().parents[2] / "static" / "css"
    for sheet in sheets.glob("*.css"):
        assert not re.findall(r"#[0-9a-fA-F]{3,8}\b(?!\s*\{)", sheet.read_text()), sheet.name
