"""Responses to visitors' options: language, emails, codes."""

from typing import Literal

from ninja import Schema

from queueing.line.api.answers import JoinOut


class ResumedOut(JoinOut):
    """The visit of a code, with what the visitor keeps. `joined_ms`: ms since 1970."""

    joined_ms: int


class LanguageOut(Schema):
    language: str


class TellOut(Schema):
    """The email that a visitor requested. `state`: off, waiting, due, sent, failed or over."""

    when: Literal["off", "third", "next", "turn"]
    state: str


class CodeOut(Schema):
    """`seconds`: how long the code is valid."""

    code: str
    seconds: int


class RatingKnownOut(Schema):
    stars: int
    comment: str
