"""A command is a value that can't name keys of two aggregates, or too few keys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolsite import hotpath
from tests.hotpath.support import SCRIPTS, TAG

COUNT = SCRIPTS["count"]


def command(*keys: str) -> hotpath.Command[list[str]]:
    return hotpath.Command(COUNT, keys, ("x", ""), lambda reply: reply)


def test_the_words_declare_every_key() -> None:
    words = command(TAG, f"{TAG}:log").evalsha()
    assert words == ("EVALSHA", COUNT.sha1, 2, TAG, f"{TAG}:log", "x", "")


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ((TAG,), "takes 2 keys, not 1"),
        ((TAG, f"{TAG}:log", f"{TAG}:more"), "takes 2 keys, not 3"),
        ((), "takes 2 keys, not 0"),
        (("demo", "demo:log"), "the first key is the tag"),
        (("{}", "{}:log"), "the first key is the tag"),
        (("{demo}:log", "{demo}"), "the first key is the tag"),
        ((TAG, "{other}:log"), "is not a key of {demo}"),
        ((TAG, "x{demo}:log"), "is not a key of {demo}"),
    ],
)
def test_keys_that_are_missing_or_foreign_are_refused(keys: tuple[str, ...], reason: str) -> None:
    with pytest.raises(ValueError, match="hotpathtest/count") as raised:
        command(*keys)
    assert reason in str(raised.value)


def test_keys_of_fills_placeholders_and_leaves_out_what_may_repeat() -> None:
    keys = ("", ":fixed:<day>", ":near:<region>")
    script = hotpath.Script("a", "b", keys, 1, "", more_keys=True)
    assert script.keys_of(TAG, day="d1") == (TAG, f"{TAG}:fixed:d1")
    near = f"{TAG}:near:cn"
    for extra in ((), (near,), (near, near)):
        keys = (*script.keys_of(TAG, day="d1"), *extra)
        assert hotpath.Command(script, keys, (), len).keys == keys


@given(st.from_regex(r"[a-z0-9-]{1,40}", fullmatch=True), st.sampled_from(["", "line.", "acct."]))
def test_every_legal_slug_makes_a_tag_whose_keys_share_a_slot(slug: str, prefix: str) -> None:
    from poolsite.hotpath.routing import slot_of

    tag = "{" + prefix + slug + "}"
    keys = COUNT.keys_of(tag)
    assert command(*keys).tag == tag
    assert {slot_of(key) for key in keys} == {slot_of(tag)}
