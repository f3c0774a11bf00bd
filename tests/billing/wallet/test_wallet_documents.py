"""docs/reference/billing/redis.md describes all that the scripts take, answer and store."""

import re
from itertools import accumulate, pairwise
from pathlib import Path

from billing import wallet
from billing.wallet import reasons
from poolsite.hotpath import PRELUDE

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/reference/billing/redis.md").read_text(encoding="utf-8")
LUA = {
    path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "billing/lua").rglob("*.lua"))
}
ALL_LUA = "\n".join([*LUA.values(), PRELUDE.read_text(encoding="utf-8")])
PREFIXES = (reasons.SCRIPT_OUTDATED, reasons.MALFORMED, reasons.OTHER_GENERATION)


def test_every_key_and_channel_is_told() -> None:
    keys = wallet.WalletKeys("x")
    for key in (*keys.all, keys.wake_channel):
        assert f"`{key}`" in PAGE


def test_every_script_is_told() -> None:
    for name in wallet.SCRIPTS:
        assert f"`{name}`" in PAGE, name


def test_every_answer_and_flag_is_told_and_said() -> None:
    for reason in reasons.ALL:
        ending = " <" if reason in PREFIXES else "`"
        assert f"`{reason}{ending}" in PAGE, reason
        assert re.search(rf"'{reason}|t{reason}", ALL_LUA), reason


def test_every_answer_of_the_scripts_is_a_word_of_reasons() -> None:
    said = set(re.findall(r"\banswer\b[^=\n]*= '([a-z ]+)'", ALL_LUA))
    said |= set(re.findall(r"return '([a-z ]+)', (?!mode)", ALL_LUA))
    holds = LUA[ROOT / "billing/lua/modules/holds.lua"]
    said |= set(re.findall(r"return '([a-z ]+)' end", holds))
    assert {"held", "parked full", "too late", "daily limit"} <= said
    assert said - {"loaded"} <= reasons.ALL


def test_every_field_of_the_hash_is_told() -> None:
    create = LUA[ROOT / "billing/lua/create.lua"]
    written = create[create.index("call('HSET', tag, ") :]
    names = set(re.findall(r"'([a-z_]+)',", written)) - {"HSET", "PUBLISH"}
    assert {"bal", "pend", "conf", "batch_amount"} <= names
    for name in names:
        assert f"`{name}`" in PAGE, name


def test_every_kind_of_entry_is_told() -> None:
    kinds = set(re.findall(r"messages\.log\('([a-z]+)'", ALL_LUA)) | set(wallet.MOVEMENTS)
    kinds |= set(re.findall(r"wallet\.append\('([a-z]+)\\t", ALL_LUA))
    kinds |= {"settle", "fail", "cancel", "expire", "session"}
    assert {"hold", "sent", "flag", "parked", "status"} <= kinds
    table = PAGE[PAGE.index("## Change entries") : PAGE.index("## Scripts")]
    for kind in kinds:
        assert f"`{kind}`" in table, kind


def test_the_columns_are_those_of_the_settings() -> None:
    settings = wallet.WalletSettings(
        daily_limit=1, log_limit=2, unsent_message_seconds=3, unsent_call_seconds=4,
        report_seconds=5, keep_seconds=6, parked_limit=7,
    )  # fmt: skip
    conf = "o" + settings.columns()
    assert len(conf) == 76
    assert wallet.WalletSettings.from_conf(conf) == settings
    cut = _columns_cut()
    for first, last, value in ((2, 17, 1), (18, 27, 2), (28, 34, 3), (35, 41, 4), (42, 48, 5),
                               (49, 55, 6), (56, 61, 7)):  # fmt: skip
        assert int(conf[first - 1 : last]) == value
        assert f"{first}–{last}" in PAGE
        assert (first, last) in cut, f"columns {first} to {last}"
    for first, last in ((62, 71), (72, 76)):
        assert (first, last) in cut
        assert f"{first}–{last}" in PAGE


def _columns_cut() -> list[tuple[int, int]]:
    """Return the first and the last column of each field that the scripts read."""
    module = LUA[ROOT / "billing/lua/modules/settings.lua"]
    found = re.search(r"settings\.COLUMNS = '([c\d]+)'", module)
    assert found
    ends = list(accumulate(int(width) for width in found[1].split("c")[1:]))
    return [(before + 1, end) for before, end in pairwise([0, *ends])]


def test_a_change_has_as_many_words_as_the_page_names() -> None:
    table = PAGE[PAGE.index("## Change entries") : PAGE.index("| kind | written by |")]
    numbered = re.findall(r"^\| (\d+) \|", table, re.MULTILINE)
    assert numbered == [str(number) for number in range(1, 17 + 1)]
    assert len(wallet.WalletChange._fields) == 17 + 3  # seq, µs, and what moved of grants
