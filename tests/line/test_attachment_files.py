"""A file's type is determined by its content; only parts of a picture are stored."""

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from queueing.line.files import BrokenFileError, Found, TooManyPixelsError, read_file, safe_name
from queueing.line.files.walking import STEPS_LIMIT
from tests.line import pictures


def kept(data: bytes) -> Found:
    found = read_file(data)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("data", "kind", "size"),
    [
        (pictures.png(), "image/png", (4, 3)),
        (pictures.jpeg(), "image/jpeg", (16, 8)),
        (pictures.GIF, "image/gif", (1, 1)),
        (pictures.WEBP, "image/webp", (1, 1)),
        (pictures.PDF, "application/pdf", (0, 0)),
    ],
)
def test_each_kind_is_known_by_its_content_and_kept_as_it_is(
    data: bytes, kind: str, size: tuple[int, int]
) -> None:
    found = kept(data)
    assert (found.kind, found.width, found.height) == (kind, *size)
    assert found.data == data


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"hello", pictures.SVG, pictures.HTML, b"PK\x03\x04", b" %PDF-1.4\n%%EOF"),
        *(b"\x00" * 99, b"RIFF\x04\0\0\0WAVE", b"MZ" + pictures.png(), b"BM\0\0", b"\x1f\x8b"),
    ],
)
def test_other_files_are_of_no_kind(data: bytes) -> None:
    assert read_file(data) is None


@pytest.mark.parametrize(
    "data",
    [
        pictures.png(4, 3, pictures.chunk(b"eXIf", pictures.SECRET)),
        pictures.png(4, 3, pictures.chunk(b"tEXt", b"Place\0" + pictures.SECRET)),
        pictures.png() + pictures.HTML + pictures.SECRET,
        pictures.jpeg(pictures.segment(0xE1, pictures.exif(6))),
        pictures.jpeg(pictures.segment(0xFE, pictures.SECRET)),
        pictures.jpeg() + pictures.HTML + pictures.SECRET,
        pictures.webp_with_notes(),
        pictures.WEBP + pictures.SECRET + pictures.HTML,
        pictures.gif_with_comment(),
    ],
)
def test_what_is_no_part_of_the_picture_is_left_out(data: bytes) -> None:
    found = kept(data)
    assert pictures.SECRET not in found.data
    assert b"script" not in found.data
    assert kept(found.data) == found  # stored data is not reduced further


@pytest.mark.parametrize(("turned", "size"), [(1, (16, 8)), (3, (16, 8)), (6, (8, 16))])
def test_a_photo_stays_upright_without_the_cameras_notes(
    turned: int, size: tuple[int, int]
) -> None:
    found = kept(pictures.jpeg(pictures.segment(0xE1, pictures.exif(turned))))
    assert (found.width, found.height) == size
    notes = b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01" + struct.pack(">HHIH", 0x0112, 3, 1, turned)
    assert (notes in found.data) is (turned > 1)


def test_the_notes_of_a_webp_are_not_announced_any_more() -> None:
    found = kept(pictures.webp_with_notes())
    assert found.data[20] == 0
    assert struct.unpack("<I", found.data[4:8])[0] == len(found.data) - 8


@pytest.mark.parametrize(
    "data",
    [
        pictures.huge_png(40_000),
        pictures.jpeg(width=60_000, height=60_000),
        pictures.GIF[:6] + b"\xff\xff\xff\xff" + pictures.GIF[10:],
        pictures.GIF[:-1] + pictures.GIF[19:-1] * 1_000 + b"\x3b",
        b"RIFF\x16\0\0\0WEBP" + pictures.webp_chunk(b"VP8X", b"\0\0\0\0" + b"\xff" * 6),
    ],
)
def test_a_picture_that_would_fill_the_memory_of_its_reader_is_refused(data: bytes) -> None:
    assert len(data) < 30_000
    with pytest.raises(TooManyPixelsError):
        read_file(data)


@pytest.mark.parametrize(
    "whole",
    [pictures.png(), pictures.jpeg(), pictures.GIF, pictures.WEBP, pictures.PDF],
    ids=["png", "jpeg", "gif", "webp", "pdf"],
)
def test_a_file_that_breaks_off_is_refused_wherever_it_does(whole: bytes) -> None:
    for length in range(15, len(whole) - 2):
        with pytest.raises(BrokenFileError):
            read_file(whole[:length])


@pytest.mark.parametrize(
    "data",
    [
        pictures.png(4, 3, pictures.chunk(b"tIME", b"") * STEPS_LIMIT),
        pictures.jpeg(pictures.segment(0xFE, b"") * STEPS_LIMIT),
        pictures.GIF[:19] + b"\x21\xfe\0" * STEPS_LIMIT + pictures.GIF[19:],
        b"RIFF" + struct.pack("<I", 8 * STEPS_LIMIT + 12) + b"WEBP" + bytes(8 * STEPS_LIMIT + 8),
    ],
    ids=["png", "jpeg", "gif", "webp"],
)
def test_a_file_of_endless_empty_parts_is_not_walked_to_its_end(data: bytes) -> None:
    with pytest.raises(BrokenFileError, match="too many parts"):
        read_file(data)


def test_a_png_with_a_wrong_checksum_and_two_pictures_in_one_jpeg_are_refused() -> None:
    wrong = bytearray(pictures.png())
    wrong[-30] ^= 1
    two = pictures.jpeg(pictures.segment(0xC0, struct.pack(">BHHBBBB", 8, 8, 8, 1, 1, 0x11, 0)))
    for data in (bytes(wrong), two):
        with pytest.raises(BrokenFileError):
            read_file(data)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(
        [pictures.png(), pictures.jpeg(), pictures.GIF, pictures.WEBP, pictures.webp_with_notes()]
    ),
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=6),
)
def test_whatever_is_changed_it_is_a_picture_or_refused(
    whole: bytes, changes: list[tuple[int, int]]
) -> None:
    data = bytearray(whole)
    for place, value in changes:
        data[place % len(data)] = value
    try:
        found = read_file(bytes(data))
    except (BrokenFileError, TooManyPixelsError):
        return
    if found is not None and found.kind != "application/pdf":
        assert kept(found.data) == found


@pytest.mark.parametrize(
    ("name", "kind", "kept_as"),
    [
        ("photo.JPG", "image/jpeg", "photo.JPG"),
        ("../../etc/passwd", "image/png", "passwd.png"),
        ("C:\\secret\\bill.pdf", "application/pdf", "bill.pdf"),
        ("page.html", "image/png", "page.html.png"),
        ("..", "image/gif", "file.gif"),
        ("", "image/webp", "file.webp"),
        ("a\r\nSet-Cookie: x\u202egnp.exe", "image/png", "aSet-Cookie: xgnp.exe.png"),
        ("收据.pdf", "application/pdf", "收据.pdf"),
        ("x" * 300 + ".png", "image/png", "x" * 96 + ".png"),
    ],
)
def test_a_name_is_one_line_without_folders_and_ends_as_its_kind(
    name: str, kind: str, kept_as: str
) -> None:
    assert safe_name(name, kind) == kept_as
