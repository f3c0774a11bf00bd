"""The verbs of each kind of object, with the page, the API operation and the command of each.

A row: verb | URL name of the page | operation | command | why an interface lacks it. "-": it has
none. Wallets have no table: `manage.py wallet` is generated from the API's operations.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verb:
    """One row of a table."""

    name: str
    page: str
    operation: str
    command: str
    why: str = ""


def table(text: str) -> list[Verb]:
    """Return the rows of a table."""
    rows = [line.split("|") for line in text.strip().splitlines()]
    return [Verb(*(part.strip() for part in row)) for row in rows]


# Commands that only show something, repair, or are another name of one in a table.
NO_VERBS = {
    "pool": "show calls twins acl|number list|rule list|rule actions|imports list|switch list",
    "gate": "show holders line explain samples batches tasks failed reconcile cap cancel",
    "dispatch": "list show sessions explain upgrades events check",
    "line": (
        "check show list settings widget report queues queue topics closures agents visits visit "
        "blocked skills replies outcomes languages signing-secrets messages"
    ),
}

POOL = table("""
create | pool_create | POST pools | create
settings | pool_settings | PATCH pools/{slug} | set
pause | pool_pause | POST pools/{slug}/pause | pause
resume | pool_resume | POST pools/{slug}/resume | resume
open early | - | POST pools/{slug}/open | open | the page shows when it opens by itself
delete | - | DELETE pools/{slug} | delete | rare, and without an undo
reconcile | pool_reconcile | POST pools/{slug}/reconcile | reconcile
add numbers | add | POST pools/{slug}/numbers | number add
add a range | add_range | POST pools/{slug}/number-ranges | number range
change a number | change | PATCH pools/{slug}/numbers/{number} | number change
quarantine | number_quarantine | POST pools/{slug}/numbers/{number}/quarantine | number quarantine
release | number_release | POST pools/{slug}/numbers/{number}/release | number release
hang up | number_hangup | POST pools/{slug}/numbers/{number}/hangup | number hangup
delete a number | bulk | DELETE pools/{slug}/numbers/{number} | number delete
change many numbers | bulk | POST pools/{slug}/number-changes | number move
import | import_upload | POST pools/{slug}/imports | import
confirm an import | import_confirm | POST pools/{slug}/imports/{import_id}/confirm | imports confirm
undo an import | import_undo | POST pools/{slug}/imports/{import_id}/undo | imports undo
discard an import | import_discard | POST pools/{slug}/imports/{import_id}/discard | imports discard
add a rule | health_rule_new | POST pools/{slug}/health/rules | rule add
change a rule | health_rule | PATCH pools/{slug}/health/rules/{rule_id} | rule set
delete a rule | health_rule_delete | DELETE pools/{slug}/health/rules/{rule_id} | rule delete
undo a rule's act | health_undo | POST pools/{slug}/health/actions/{action_id}/undo | rule undo
add a switch | pool_switches | POST pools/{slug}/switches | switch add
change a switch | switch_kind | PATCH pools/{slug}/switches/{name} | switch set
label spam | spam_labels | POST pools/{slug}/spam-labels | - | labels come as files or from programs
""")

GATE = table("""
create | gate_create | POST gates | create
settings | gate_settings | PATCH gates/{slug} | set
resize | act | POST gates/{slug}/resize | resize
pin | act | POST gates/{slug}/pin | pin
unpin | act | POST gates/{slug}/unpin | unpin
pause | act | POST gates/{slug}/pause | pause
resume | act | POST gates/{slug}/resume | resume
open early | act | POST gates/{slug}/open | open
delete | gate_delete | DELETE gates/{slug} | delete
free a permit | act | POST gates/{slug}/holders/{holder}/free | free
change the key | gate_key | POST gates/{slug}/key/{do} | key
create a batch | batches | POST gates/{slug}/batches | batch
pause a batch | batch_act | POST gates/{slug}/batches/{batch}/{what} | batch-pause
resume a batch | batch_act | POST gates/{slug}/batches/{batch}/{what} | batch-resume
cancel a batch | batch_act | POST gates/{slug}/batches/{batch}/{what} | batch-cancel
""")

GROUP = table("""
create | group_create | POST groups | create
settings | settings | PATCH groups/{slug} | set
delete | delete | DELETE groups/{slug} | delete
open | act | POST groups/{slug}/instances/{name}/manual | open
drain | act | POST groups/{slug}/instances/{name}/manual | drain
block | act | POST groups/{slug}/instances/{name}/manual | block
backup | act | POST groups/{slug}/instances/{name}/backup | backup
primary | act | POST groups/{slug}/instances/{name}/backup | primary
end an ejection | act | POST groups/{slug}/instances/{name}/uneject | uneject
remove a name | act | DELETE groups/{slug}/instances/{name} | forget
close a link | act | POST groups/{slug}/peers/{peer}/disconnect | disconnect
end a session | act | POST groups/{slug}/sessions/end | end-session
upgrade | act | POST groups/{slug}/upgrades | upgrade
force | upgrade_act | POST groups/{slug}/upgrades/{upgrade}/force | force
abort | upgrade_act | POST groups/{slug}/upgrades/{upgrade}/abort | abort
count sessions | - | POST groups/{slug}/front-ends/{peer_id}/count | - | a front-end's own report
""")

DESK = table("""
create | desk_create | POST desks | create
settings | settings | PATCH desks/{slug} | set
widget | widget | PATCH desks/{slug}/widget | widget-set
create a queue | queue_create | POST desks/{slug}/queues | queue-create
change a queue | queue | PATCH desks/{slug}/queues/{queue} | queue-set
topics | topics | PUT desks/{slug}/queues/{queue}/topics | topics-set
close on a day | settings_act | PUT desks/{slug}/queues/{queue}/closures/{day} | closure-set
open on a day | settings_act | DELETE desks/{slug}/queues/{queue}/closures/{day} | closure-remove
holidays | routing_act | POST desks/{slug}/closures | closure-set
add an agent | agent_create | POST desks/{slug}/agents | agent-add
change an agent | agent_settings | PATCH desks/{slug}/agents/{agent} | agent-set
archive an agent | settings_act | POST desks/{slug}/agents/{agent}/archive | agent-archive
restore an agent | settings_act | POST desks/{slug}/agents/{agent}/restore | agent-restore
pause an agent | act | POST desks/{slug}/agents/{agent}/pause | agent-pause
log an agent out | act | POST desks/{slug}/agents/{agent}/logout | agent-logout
add a skill | settings_act | POST desks/{slug}/skills | skill-create
delete a skill | settings_act | DELETE desks/{slug}/skills/{skill} | skill-delete
save a reply | settings_act | PUT desks/{slug}/replies/{shortcut} | reply-save
delete a reply | settings_act | DELETE desks/{slug}/replies/{shortcut} | reply-delete
add an outcome | settings_act | POST desks/{slug}/outcomes | outcome-add
usual outcomes | settings_act | POST desks/{slug}/outcomes/usual | outcomes-usual
remove an outcome | settings_act | DELETE desks/{slug}/outcomes/{outcome} | outcome-remove
move an outcome up | settings_act | POST desks/{slug}/outcomes/{outcome}/up | outcome-up
languages | routing_act | PUT desks/{slug}/languages | languages-set
add a secret | routing_act | POST desks/{slug}/signing-secrets | signing-secret-create
revoke a secret | routing_act | DELETE desks/{slug}/signing-secrets/{secret} | signing-secret-revoke
block | visitor_act | POST desks/{slug}/blocked | block
unblock | visitor_act | DELETE desks/{slug}/blocked/{blocked} | unblock
erase | visitor_act | POST desks/{slug}/erasures | erase
move a visit | act | POST desks/{slug}/visits/{visit}/move | visit-move
bring to the front | act | POST desks/{slug}/visits/{visit}/front | visit-front
end a visit | act | POST desks/{slug}/visits/{visit}/end | visit-end
take over | act | POST desks/{slug}/visits/{visit}/take-over | visit-take-over
outcome of a visit | visitor_act | POST desks/{slug}/visits/{visit}/outcome | visit-outcome
handle | message_act | POST desks/{slug}/left-messages/{message}/handled | message-handled
reopen | message_act | POST desks/{slug}/left-messages/{message}/reopened | message-reopened
call back | message_act | POST desks/{slug}/left-messages/{message}/call | - | it calls the agent
end a call back | message_act | POST desks/{slug}/left-messages/{message}/call-end | - | as above
whisper | floor | POST desks/{slug}/visits/{visit}/whisper | - | a conversation is no command
write | floor | POST desks/{slug}/visits/{visit}/messages | - | as above
join a room | floor | POST desks/{slug}/visits/{visit}/join | - | as above
leave a room | floor | POST desks/{slug}/visits/{visit}/leave | - | as above
""")

JOB = table("""
cancel | cancel | POST jobs/{job}/cancel | - | it is a user's own work
""")

RECIPIENT = table("""
add | operations_noticetarget_add | POST alert-recipients | - | who is told is no work of a shell
change | operations_noticetarget_change | PATCH alert-recipients/{recipient} | - | as above
remove | operations_noticetarget_delete | DELETE alert-recipients/{recipient} | - | as above
""")

PROFILE = table("""
change | profile | PATCH profile | - | a person's own
""")

VIEW = table("""
save | save_view | POST saved-views | - | a person's own
remove | delete_view | DELETE saved-views/{view} | - | as above
""")
