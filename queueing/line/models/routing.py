"""The routing of visitors: topics, languages, signing secrets."""

import hashlib
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from queueing.line.models.desks import Desk, Queue, Skill

LEVEL = [MinValueValidator(1), MaxValueValidator(9)]


class Topic(models.Model):
    """The effect of a visitor's choice on a queue's page.

    `Queue.topics` has the offered texts, in order; this row has the destination of one of them. A
    text without a row has no effect; the previous release writes such texts.
    """

    queue = models.ForeignKey(Queue, models.CASCADE, related_name="topic_rows")
    text = models.CharField(_("text"), max_length=80)
    texts = models.JSONField(_("translations"), default=dict, blank=True)  # code → text
    target = models.ForeignKey(
        Queue,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("destination"),
    )
    skills = models.JSONField(_("required skills"), default=dict, blank=True)  # slug → level 1-9
    priority = models.PositiveSmallIntegerField(_("class"), default=5, validators=LEVEL)
    position = models.PositiveSmallIntegerField(_("order"), default=0)
    archived_at = models.DateTimeField(_("archived at"), null=True, blank=True)

    class Meta:
        verbose_name = _("topic")
        verbose_name_plural = _("topics")
        ordering = ["queue", "position", "pk"]
        constraints = [models.UniqueConstraint(fields=["queue", "text"], name="line_topic_once")]

    def __str__(self) -> str:
        return self.text

    def label(self, language: str) -> str:
        """Return the text in a language, or the topic's own text if it has no translation."""
        found = self.texts.get(language)
        return str(found) if found else self.text

    def as_data(self) -> dict[str, Any]:
        """Return the topic in the form of the audit log."""
        return {
            "text": self.text,
            **({"texts": self.texts} if self.texts else {}),
            **({"queue": self.target.slug} if self.target is not None else {}),
            **({"skills": self.skills} if self.skills else {}),
            "class": self.priority,
        }


class LanguageSkill(models.Model):
    """The skill that visitors of a language need."""

    desk = models.ForeignKey(Desk, models.CASCADE, related_name="language_skills")
    language = models.CharField(_("language"), max_length=10)  # a code of LANGUAGES
    skill = models.ForeignKey(Skill, models.CASCADE, related_name="+")
    level = models.PositiveSmallIntegerField(_("level"), default=1, validators=LEVEL)

    class Meta:
        verbose_name = _("language skill")
        verbose_name_plural = _("language skills")
        ordering = ["desk", "language"]
        constraints = [
            models.UniqueConstraint(fields=["desk", "language"], name="line_language_once")
        ]

    def __str__(self) -> str:
        return f"{self.language} {self.skill_id}"


class IdentityKey(models.Model):
    """A secret that signs visitors' identities in a customer's own system. Two can be valid."""

    desk = models.ForeignKey(Desk, models.CASCADE, related_name="identity_keys")
    secret = models.CharField(_("secret"), max_length=64, editable=False)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    created_by = models.CharField(_("created by"), max_length=150)
    revoked_at = models.DateTimeField(_("revoked at"), null=True, blank=True)

    class Meta:
        verbose_name = _("signing secret")
        verbose_name_plural = _("signing secrets")
        ordering = ["desk", "created_at"]

    def __str__(self) -> str:
        return self.print

    @property
    def print(self) -> str:
        """A fingerprint that identifies the secret without revealing it."""
        return hashlib.sha256(self.secret.encode()).hexdigest()[:8]


class VerifiedVisitor(models.Model):
    """The visit of a person whom a customer's system has identified.

    The row is written before the visit joins, so that two simultaneous joins of one person are one
    visit.
    """

    desk = models.ForeignKey(Desk, models.CASCADE, related_name="+")
    subject = models.CharField(_("subject"), max_length=120)
    visit = models.CharField(_("visit"), max_length=32)

    class Meta:
        verbose_name = _("verified visitor")
        verbose_name_plural = _("verified visitors")
        constraints = [
            models.UniqueConstraint(fields=["desk", "subject"], name="line_verified_once")
        ]
        indexes = [models.Index(fields=["visit"], name="line_verified_visit")]

    def __str__(self) -> str:
        return self.visit
