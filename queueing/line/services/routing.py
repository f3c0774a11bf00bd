"""The route of a visitor, by topic, language and the claims that the customer's system signed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite.access.services.actor import Actor, clean_reason, require
from poolsite.access.services.aggregates import Act
from queueing.line.models import Desk, LanguageSkill, Queue, Skill, Topic
from queueing.line.services.common import clean
from queueing.line.services.identities import Identity

ORDINARY = 5  # the default class of a visitor
TOPICS_LIMIT = 20
TOPIC_LENGTH = 80
SKILLS_LIMIT = 4  # per topic
SKILL_SETS_LIMIT = 99  # skills.MOST of lua/modules/skills.lua
LANGUAGE_CODES = tuple(code for code, _name in settings.LANGUAGES)
Skills = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Route:
    """The visitor's queue and class, and the skills that the agent needs."""

    queue: Queue
    topic: str = ""
    priority: int = ORDINARY
    skills: Skills = field(default_factory=dict)


def route_of(
    queue: Queue, *, topic: str = "", language: str = "", identity: Identity | None = None
) -> Route:
    """Return the route of a visitor who joins at this queue's page.

    topic: the text, in any language, or the ID of a topic that the queue offers; any other text
    changes nothing about the route. If several sources require a skill, the highest level counts;
    of several classes, the first. The identity's queue takes precedence over the topic's.
    """
    topic = clean(topic, TOPIC_LENGTH)
    chosen = topic_of(queue, topic)
    skills = dict(chosen.skills) if chosen is not None else {}
    target = chosen.target if chosen is not None else None
    priority = chosen.priority if chosen is not None else ORDINARY
    if language:
        skills = merged(skills, language_skills(queue.desk, language))
    if identity is not None:
        skills = merged(skills, _known_skills(queue.desk, identity.skills))
        target = identity.queue or target
        priority = min(priority, identity.priority)
    return Route(target or queue, chosen.text if chosen is not None else topic, priority, skills)


def topic_of(queue: Queue, said: str) -> Topic | None:
    """Return the topic of the queue that has this text or ID, or None."""
    if not said:
        return None
    offered = topics_of(queue)
    by_text = {text: each for each in reversed(offered) for text in _texts(each)}
    by_id = {str(each.pk): each for each in offered if each.pk}
    return by_text.get(said) or by_id.get(said)


def topics_of(queue: Queue) -> list[Topic]:
    """Return the topics that a queue offers, in order. A topic without a row is built, unsaved."""
    texts = list(dict.fromkeys(str(text)[:TOPIC_LENGTH] for text in queue.topics))
    if not texts:
        return []
    rows = queue.topic_rows.filter(archived_at=None, text__in=texts)
    known = {row.text: row for row in rows.select_related("target", "target__desk__account")}
    return [known.get(text) or Topic(queue=queue, text=text) for text in texts]


def _texts(topic: Topic) -> list[str]:
    return [topic.text, *(str(text) for text in topic.texts.values())]


def language_skills(desk: Desk, language: str) -> dict[str, int]:
    """Return the skills that an agent needs for visitors who write in this language."""
    row = desk.language_skills.filter(language=language.lower()).select_related("skill").first()
    return {row.skill.slug: row.level} if row is not None else {}


def merged(one: Skills, other: Skills) -> dict[str, int]:
    """Combine two sets of skills, each skill at its higher level."""
    names = {*one, *other}
    return {name: max(one.get(name, 0), other.get(name, 0)) for name in sorted(names)}


def _known_skills(desk: Desk, skills: Skills) -> dict[str, int]:
    """Leave out skills that the desk does not have: no agent could have them."""
    if not skills:
        return {}
    known = set(desk.skills.filter(slug__in=skills).values_list("slug", flat=True))
    return {name: level for name, level in skills.items() if name in known}


# -- settings ------------------------------------------------------------------------------------


def topics_save(
    *, actor: Actor, queue: Queue, topics: Sequence[Topic], reason: str = ""
) -> list[Topic]:
    """Replace a queue's topics, in this order. Raise ValidationError if one is invalid.

    topics: new ones, and changed rows of the queue. Rows that are left out are archived.
    """
    require(actor, "line.configure", queue)
    act = Act(actor, "line.topics_save", clean_reason(reason))
    with transaction.atomic():
        queue = Queue.objects.select_for_update().select_related("desk").get(pk=queue.pk)
        before = [each.as_data() for each in topics_of(queue)]
        rows = _with_rows_of_before(queue, topics)
        _check(queue, rows)
        kept = [row.pk for row in rows if row.pk]
        left = queue.topic_rows.filter(archived_at=None).exclude(pk__in=kept)
        left.update(archived_at=timezone.now())
        for row in rows:
            row.save()
        queue.topics = [row.text for row in rows]
        queue.save(update_fields=["topics"])
        require_few_sets(queue.desk)
        after = [row.as_data() for row in rows]
        if after != before:
            act.write(queue, {"topics": before}, {"topics": after})
    return rows


def _with_rows_of_before(queue: Queue, topics: Sequence[Topic]) -> list[Topic]:
    """Return the rows to save. A text used before, even if archived, keeps its row and ID."""
    known = {row.text: row for row in queue.topic_rows.all()}
    mine = {topic.pk for topic in topics if topic.pk}
    rows = []
    for position, topic in enumerate(topics):
        before = known.get(topic.text)
        row = topic if before is None or topic.pk or before.pk in mine else before
        row.texts, row.target = topic.texts, topic.target
        row.skills, row.priority = topic.skills, topic.priority
        row.queue, row.position, row.archived_at = queue, position, None
        rows.append(row)
    return rows


def _check(queue: Queue, topics: Sequence[Topic]) -> None:
    if len(topics) > TOPICS_LIMIT:
        words = _("A queue can have up to %(limit)s topics.")
        raise ValidationError(words % {"limit": TOPICS_LIMIT})
    texts = [text for topic in topics for text in set(_texts(topic))]
    twice = next((text for text in texts if texts.count(text) > 1), None)
    if twice is not None:
        raise ValidationError(
            _("Two topics have the same name: %(text)s. Rename one of them.") % {"text": twice}
        )
    known = set(queue.desk.skills.values_list("slug", flat=True))
    for topic in topics:
        topic.clean_fields(exclude=["queue", "target"])
        if topic.target is not None and topic.target.desk_id != queue.desk_id:
            raise ValidationError(_("Choose a queue from the same desk."))
        if topic.target is not None and topic.target.pk == queue.pk:
            topic.target = None
        if len(topic.skills) > SKILLS_LIMIT or set(topic.skills) - known:
            words = _("A topic can require up to %(limit)s of the desk's skills.")
            raise ValidationError(words % {"limit": SKILLS_LIMIT})


def languages_save(
    *, actor: Actor, desk: Desk, skills: Mapping[str, tuple[Skill, int]], reason: str = ""
) -> None:
    """Set the skill and level that agents need for each language. Languages not given need none."""
    require(actor, "line.configure", desk)
    act = Act(actor, "line.languages_save", clean_reason(reason))
    rows = [
        LanguageSkill(desk=desk, language=language, skill=skill, level=level)
        for language, (skill, level) in skills.items()
    ]
    for row in rows:
        row.clean_fields(exclude=["desk", "skill"])
        if row.language not in LANGUAGE_CODES or row.skill.desk_id != desk.pk:
            raise ValidationError(_("Choose one of the desk's skills."))
    with transaction.atomic():
        desk = Desk.objects.select_for_update().get(pk=desk.pk)
        before = _languages(desk)
        desk.language_skills.all().delete()
        LanguageSkill.objects.bulk_create(rows)
        require_few_sets(desk)
        after = _languages(desk)
        if after != before:
            act.write(desk, {"languages": before}, {"languages": after})


def _languages(desk: Desk) -> dict[str, str]:
    rows = desk.language_skills.select_related("skill")
    return {row.language: f"{row.skill.slug} {row.level}" for row in rows}


def forget_skill(desk: Desk, slug: str) -> None:
    """Remove a deleted skill from the desk's topics."""
    for topic in Topic.objects.filter(queue__desk=desk):
        if slug in topic.skills:
            topic.skills = {name: level for name, level in topic.skills.items() if name != slug}
            topic.save(update_fields=["skills"])


def require_few_sets(desk: Desk) -> None:
    """Raise ValidationError if topics and languages make more skill sets than a desk supports."""
    count = len(skill_sets(desk))
    if count > SKILL_SETS_LIMIT:
        words = _(
            "Topics and languages together make %(count)s different skill sets. A desk can "
            "have up to %(limit)s. Use fewer skills, levels or languages."
        )
        raise ValidationError(words % {"count": count, "limit": SKILL_SETS_LIMIT})


def skill_sets(desk: Desk) -> set[tuple[tuple[str, int], ...]]:
    """Return the different sets of skills that visitors of this desk's pages may need."""
    topics: Iterable[Any] = Topic.objects.filter(queue__desk=desk, archived_at=None)
    of_topics: list[Skills] = [{}, *(topic.skills for topic in topics)]
    rows = desk.language_skills.select_related("skill")
    of_languages: list[Skills] = [{}, *({row.skill.slug: row.level} for row in rows)]
    sets = [merged(one, other) for one in of_topics for other in of_languages]
    return {tuple(sorted(each.items())) for each in sets if each}
