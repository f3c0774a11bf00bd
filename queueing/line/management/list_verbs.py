"""`manage.py line`: verbs for skills, replies, outcomes, languages, secrets, left messages."""

from django.core.management.base import CommandError

from queueing.line.management.verbs import ACTOR, Options, Say, Verbs, add_reason, desk_of, pairs_of
from queueing.line.models import OutcomeCode
from queueing.line.selectors.messages import messages_of
from queueing.line.services import desk_settings, identities, left_messages, outcomes, routing


def add(verbs: Verbs) -> None:
    """Add the verbs."""
    verbs.add("skills", "list skills", _skills, "desk")
    verbs.add("skill-create", "create a skill", _skill_create, "desk", "skill", "name")
    verbs.add("skill-delete", "delete a skill", _skill_delete, "desk", "skill")
    verbs.add("replies", "list saved replies", _replies, "desk")
    verbs.add("reply-save", "save a reply", _reply_save, "desk", "shortcut", "text")
    verbs.add("reply-delete", "delete a saved reply", _reply_delete, "desk", "shortcut")
    verbs.add("outcomes", "list outcomes", _outcomes, "desk")
    made = verbs.add("outcome-add", "add an outcome", _outcome_add, "desk", "name")
    made.add_argument("--tone", choices=OutcomeCode.Tone.values, default=OutcomeCode.Tone.PLAIN)
    verbs.add("outcomes-usual", "add the usual outcomes", _outcomes_usual, "desk")
    verbs.add("outcome-remove", "remove an outcome", _outcome_remove, "desk", "name")
    verbs.add("outcome-up", "move an outcome up", _outcome_up, "desk", "name")
    verbs.add("languages", "list the skills of languages", _languages, "desk")
    languages = verbs.add("languages-set", "replace the skills of languages", _set, "desk")
    languages.add_argument("skills", nargs="*", help="language:skill=level, such as en:english=2")
    add_reason(languages)
    verbs.add("signing-secrets", "list signing secrets", _secrets, "desk")
    made = verbs.add("signing-secret-create", "create a signing secret", _secret_create, "desk")
    add_reason(made)
    gone = verbs.add("signing-secret-revoke", "revoke a secret", _secret_revoke, "desk", "print")
    add_reason(gone)
    messages = verbs.add("messages", "list left messages that are open", _messages, "desk")
    messages.add_argument("--all", action="store_true", help="handled ones, too")
    for verb, told in (("handled", "mark a left message as handled"), ("reopened", "reopen one")):
        one = verbs.add(f"message-{verb}", told, _message, "desk")
        one.add_argument("message", type=int)


def _skills(options: Options, say: Say) -> None:
    for row in desk_of(options).skills.order_by("slug"):
        say(f"{row.slug}  {row.name}")


def _skill_create(options: Options, say: Say) -> None:
    desk_settings.skill_create(
        actor=ACTOR, desk=desk_of(options), slug=options["skill"], name=options["name"]
    )
    say(f"Skill {options['skill']} created.")


def _skill_delete(options: Options, say: Say) -> None:
    found = desk_of(options).skills.select_related("desk").filter(slug=options["skill"]).first()
    if found is None:
        raise CommandError(f"Skill {options['skill']} not found.")
    desk_settings.skill_delete(actor=ACTOR, skill=found)
    say(f"Skill {options['skill']} deleted.")


def _replies(options: Options, say: Say) -> None:
    for row in desk_of(options).canned_replies.order_by("shortcut"):
        say(f"{row.shortcut}  {row.text}")


def _reply_save(options: Options, say: Say) -> None:
    desk_settings.reply_save(
        actor=ACTOR, desk=desk_of(options), shortcut=options["shortcut"], text=options["text"]
    )
    say(f"Reply {options['shortcut']} saved.")


def _reply_delete(options: Options, say: Say) -> None:
    rows = desk_of(options).canned_replies.select_related("desk")
    found = rows.filter(shortcut=options["shortcut"]).first()
    if found is None:
        raise CommandError(f"Reply {options['shortcut']} not found.")
    desk_settings.reply_delete(actor=ACTOR, reply=found)
    say(f"Reply {options['shortcut']} deleted.")


def _outcomes(options: Options, say: Say) -> None:
    for row in desk_of(options).outcome_codes.filter(archived_at=None):
        say(f"{row.name}  {row.tone}")


def _outcome_add(options: Options, say: Say) -> None:
    made = outcomes.outcome_add(
        actor=ACTOR, desk=desk_of(options), name=options["name"], tone=options["tone"]
    )
    say(f"Outcome {made.name} added.")


def _outcomes_usual(options: Options, say: Say) -> None:
    say(f"{outcomes.outcomes_usual(actor=ACTOR, desk=desk_of(options))} outcomes added.")


def _code(options: Options) -> OutcomeCode:
    rows = desk_of(options).outcome_codes.select_related("desk").filter(archived_at=None)
    found = rows.filter(name=options["name"]).first()
    if found is None:
        raise CommandError(f"Outcome {options['name']} not found.")
    return found


def _outcome_remove(options: Options, say: Say) -> None:
    outcomes.outcome_remove(actor=ACTOR, code=_code(options))
    say(f"Outcome {options['name']} removed.")


def _outcome_up(options: Options, say: Say) -> None:
    outcomes.outcome_move_up(actor=ACTOR, code=_code(options))
    _outcomes(options, say)


def _languages(options: Options, say: Say) -> None:
    for row in desk_of(options).language_skills.select_related("skill"):
        say(f"{row.language}:{row.skill.slug}={row.level}")


def _set(options: Options, say: Say) -> None:
    desk = desk_of(options)
    known = {skill.slug: skill for skill in desk.skills.all()}
    wanted = {}
    for text in options["skills"]:
        language, _colon, needed = text.partition(":")
        for slug, level in pairs_of([needed], "skills").items():
            if slug not in known:
                raise CommandError(f"Desk {desk.slug} has no skill {slug}.")
            wanted[language] = (known[slug], level)
    routing.languages_save(actor=ACTOR, desk=desk, skills=wanted, reason=options["reason"])
    _languages(options, say)


def _secrets(options: Options, say: Say) -> None:
    for row in desk_of(options).identity_keys.filter(revoked_at=None):
        say(f"{row.print}  {row.created_at.isoformat()}  {row.created_by}")


def _secret_create(options: Options, say: Say) -> None:
    secret = identities.key_new(actor=ACTOR, desk=desk_of(options), reason=options["reason"])
    say(f"Signing secret (shown only once): {secret}")


def _secret_revoke(options: Options, say: Say) -> None:
    keys = desk_of(options).identity_keys.select_related("desk").filter(revoked_at=None)
    found = next((key for key in keys if key.print == options["print"]), None)
    if found is None:
        raise CommandError(f"No secret {options['print']} is in use.")
    identities.key_revoke(actor=ACTOR, key=found, reason=options["reason"])
    say(f"Signing secret {options['print']} revoked.")


def _messages(options: Options, say: Say) -> None:
    for row in messages_of(desk_of(options), every=options["all"])[:200]:
        state = "handled" if row.handled_at is not None else "open"
        say(f"{row.pk}  {row.at.isoformat()}  {row.queue.slug}  {state}")


def _message(options: Options, say: Say) -> None:
    rows = messages_of(desk_of(options), every=True)
    found = rows.filter(pk=options["message"]).first()
    if found is None:
        raise CommandError(f"Message {options['message']} not found.")
    verb = options["verb"].removeprefix("message-")
    does = {"handled": left_messages.message_handle, "reopened": left_messages.message_reopen}
    does[verb](actor=ACTOR, message=found)
    say(f"Message {found.pk} {verb}.")
