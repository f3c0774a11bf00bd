"""Incidents keep message ids: those of the release before, in the words of this one."""

from typing import Any

from django.db import migrations

TEXTS = {
    "Holds of the accounts on it are refused: %(reason)s": "Holds are refused for the accounts on this server: %(reason)s",
    "Holds and reports of the accounts on it are refused until it is back.": "Holds and reports are refused for the accounts on this server until it is back.",
    "Start Redis, or look at its log and at the network.": "Start Redis, or check its log and the network.",
    "SQL refused the next batch: %(reason)s": "SQL rejected the next batch: %(reason)s",
    "Nothing is lost: the entries wait in Redis. Run manage.py audit on the account.": "Nothing is lost: the entries stay in Redis. Run manage.py audit for this account.",
    "The oldest entry waited %(seconds)s s for SQL.": "The oldest entry has been waiting for SQL for %(seconds)s s.",
    "Look at the workers, the beat and SQL; add workers.": "Check the workers, the scheduler and SQL. Add workers if needed.",
    "Redis lost its data (%(why)s). Refunds are taken, new holds are refused.": "Redis lost data (%(why)s). Refunds are accepted; new holds are refused.",
    "It is rebuilt from SQL and opens by itself.": "The balance is being rebuilt from SQL. The account reopens automatically.",
    "The books of %(account)s wait for SQL": "Entries of %(account)s are waiting for SQL",
    "Look at SQL and the workers; at 100%% new holds are refused, refunds are not.": "Check SQL and the workers. At 100%%, new holds are refused; refunds are still accepted.",
    "%(account)s: the balance is low": "%(account)s: low balance",
    "%(balance)s %(currency)s are left; the mark is %(mark)s.": "The balance is %(balance)s %(currency)s. The alert threshold is %(mark)s.",
    "Top up, or sending stops when the balance is used up.": "Top up. Sending stops when the balance is used up.",
    "Run manage.py audit; freeze the account, and rebuild it when SQL is right.": "Run manage.py audit. Freeze the account, and rebuild it once SQL is correct.",
    "The provider refused: %(why)s": "The payment provider declined: %(why)s",
    "Top up by hand, and keep another card for automatic top-ups.": "Top up manually, and save another card for automatic top-ups.",
    "Top-up %(number)s: %(asked)s %(currency)s were asked for, the provider says %(said)s %(said_currency)s (%(reference)s).": "Top-up %(number)s: %(asked)s %(currency)s was requested, but the payment provider reported %(said)s %(said_currency)s (%(reference)s).",
    "Top-up %(number)s: the provider names %(reference)s, which is not the payment that was opened for it.": "Top-up %(number)s: the payment provider reported %(reference)s, which is not the payment created for this top-up.",
    "A payment does not fit its top-up": "A payment doesn't match its top-up",
    "Compare it at the provider, then credit or refund it by hand.": "Check the payment with the provider, then credit or refund it manually.",
    "Add numbers, or see what rests or is offline.": "Add numbers, or check which numbers are resting or offline.",
    "A switch of pool %(pool)s is silent": "A switch of pool %(pool)s stopped reporting",
    "%(switches)s: nothing was heard, while calls of it are held.": "%(switches)s: no reports received, but calls are still open.",
    "See whether the switch runs and reaches us; its calls end by lease.": "Check that the switch is running and can reach the platform. Its calls end when their lease expires.",
    "Added by the Redis command line, but already stored in %(home)s. Quarantined here.": "Added from the Redis command line, but already stored in %(home)s. Quarantined here.",
    "Added by the Redis command line, but already stored in %(home)s. Quarantined here. Calls that still run on them here: %(calls)s.": "Added from the Redis command line, but already stored in %(home)s. Quarantined here. Calls still in progress on them here: %(calls)s.",
    "%(count)s numbers in %(pool)s belong elsewhere": "Numbers in %(pool)s already stored elsewhere: %(count)s",
    "Delete them from this pool in Redis, or move them here first.": "Delete them from this pool in Redis, or move the stored numbers to this pool first.",
    "%(count)s numbers are out; the latest: %(number)s, %(why)s.": "%(count)s numbers are out of use. Latest: %(number)s, %(why)s.",
    "See the pool's health page; undo there what is wrong.": "Check the pool's health page and undo wrong actions there.",
    "More numbers match the rule than it may take (%(daily)s a day, %(percent)s%% of the pool at once).": "More numbers match the rule than it can take out of use (%(daily)s a day, %(percent)s%% of the pool at once).",
    "Look at the numbers on the pool's health page, or raise the limit.": "Check the numbers on the pool's health page, or raise the limit.",
    "Redis lost its data (%(why)s). Rebuilt from SQL; no number is lent before every switch has reported its calls.": "Redis lost its data (%(why)s). The pool was rebuilt from SQL. No number is given out until every switch has reported its calls.",
    "Wait for the switches, or open the pool early with a reason.": "Wait for the switches, or open the pool early and give a reason.",
    "The same line is stored in two formats. The duplicates are quarantined, so that no line is in two calls.": "The same line is stored in two formats. The duplicates are quarantined so that no line is in two calls at once.",
    "API token %(token)s ends in %(days)s days": "API token %(token)s expires in %(days)s days",
    "Whatever uses it is refused from then on.": "Requests with this token will then be refused.",
    "Make a new token, put it in place, then revoke the old one.": "Create a new token, replace the old one with it, then revoke the old one.",
    "Somebody guesses codes of %(user)s": "Repeated incorrect codes for %(user)s",
    "%(count)s wrong codes came after the right password.": "%(count)s incorrect codes were entered after the correct password.",
    "Ask the person, and have the password changed.": "Check with the user and have them change their password.",
    "The grant Finance for %(user)s waits for approval": "Finance grant for %(user)s is waiting for approval",
    "%(asker)s asked for it. It has no effect before.": "Requested by %(asker)s. The grant has no effect until it is approved.",
    "Another finance operator approves or rejects it.": "Another finance operator must approve or reject it.",
    "It is rebuilt from SQL; open it early only when no call is running.": "It is being rebuilt from SQL. Open it early only if no calls are in progress.",
    "History of %(tag)s cannot be written": "History of %(tag)s can't be written",
    "Nothing is lost yet: the entries wait in Redis. Look at the worker's log.": "No data has been lost: the entries are waiting in Redis. Check the worker's log.",
    "Look at SQL and the workers; at 100%% the oldest entries are dropped.": "Check the SQL database and the workers. At 100%% the oldest entries are dropped.",
    "%(count)s entries never reached SQL. The gap is shown on its timeline.": "%(count)s entries never reached SQL. The timeline shows the gap.",
    "Compare SQL with Redis (reconcile), and raise the backlog limit.": "Reconcile SQL with Redis, and raise the backlog limit.",
    "Look at its log: it must be a primary that may write.": "Check its log. It must be a primary that accepts writes.",
    "Make room on the disk of its files, and see its log. Then it takes writes by itself.": "Free space on the disk that holds its files, and check its log. Redis then accepts writes again automatically.",
    "Give it memory (maxmemory). Then it takes writes by itself.": "Raise its memory limit (maxmemory). Redis then accepts writes again automatically.",
    "It is a replica: give the address of the primary.": "This is a replica. Configure the address of the primary.",
    "Bring back its replicas (min-replicas-to-write).": "Restore its replicas (min-replicas-to-write).",
    "Leases and permits end only when somebody asks for them.": "Expired leases and permits end only when they are next requested.",
    "The workers are behind": "Workers are falling behind",
    "%(count)s runs of the last 5 minutes came too late and were left out.": "%(count)s runs in the last 5 minutes were too late and were skipped.",
    "Start more workers, or see what keeps them busy.": "Start more workers, or find out what keeps them busy.",
    "No scheduler runs": "The scheduler is not running",
    "Calls go on. Reports, books and history are not brought up to date.": "Calls continue. Reports, books and history are not updated.",
    "No web process runs": "No web processes are running",
    "Nobody is served; calls of switches that speak to Redis go on.": "Web and API requests are not served. Calls continue on switches that connect directly to Redis.",
    "Sweeps of money, leases and permits stand still: %(reason)s": "Sweeps of money, leases and permits are paused: %(reason)s",
    "Set the clock right, or confirm the new time on this page.": "Correct the clock, or confirm the new time on this page.",
    "History waits for SQL": "History is waiting for SQL",
    "%(tag)s has %(percent)s%% of what Redis may keep for it.": "%(tag)s uses %(percent)s%% of its limit in Redis.",
    "No timers run": "No timers are running",
    "Nobody visits %(count)s of %(all)s shards": "No timers process serves %(count)s of %(all)s shards",
    "Look at the log of manage.py timers.": "Check the log of manage.py timers.",
    "The timers pause": "Timers are paused",
    "They wait until the clock agrees again: %(reason)s": "They wait until the clock is consistent again: %(reason)s",
    "Set the clock of Redis right.": "Correct the clock of the Redis server.",
    "No worker runs": "No workers are running",
    "Calls go on. Imports, campaigns, mails and history wait.": "Calls continue. Imports, campaigns, emails and history are waiting.",
    "What is put there waits: see the table of queues in docs/operations.md.": "Work sent to it is waiting. See the table of queues in docs/operations.md.",
    "History and books wait in Redis; forms cannot be saved: %(reason)s": "History and books are waiting in Redis, and forms can't be saved: %(reason)s",
    "Make room on the disk of the database, or let it write. What waits then follows.": "Free disk space for the database, or allow it to write. Waiting entries are then written.",
    "Pages that need the new tables fail.": "Pages that use the new tables fail.",
    "Redis cannot be reached": "Redis can't be reached",
    "The SQL database cannot be reached": "The SQL database can't be reached",
    "Running calls go on; nobody can log in, and history waits in Redis.": "Calls in progress continue. No one can log in, and history waits in Redis.",
    "Start the database, or look at its log and at the network.": "Start the database, or check its log and the network.",
    "The check of %(part)s fails": "The %(part)s check failed",
    "Whether that part is in order is not known.": "Its status is unknown.",
    "Look at the log: health.check_failed.": "Check the log for health.check_failed.",
    "In the last 5 minutes %(late)s results came after their permit had ended.": "In the last 5 minutes, %(late)s results arrived after their permit had ended.",
    "In the last 5 minutes %(late)s results came after their permit had ended, and the external system counted more than the cap %(over)s times (%(told)s at last).": "In the last 5 minutes, %(late)s results arrived after their permit had ended, and the external system counted more than the concurrency limit %(over)s times (last count: %(told)s).",
    "See whether devices stop by their deadline and the external system refuses older tokens; else make permits longer.": "Check that devices stop by their deadline and that the external system refuses older tokens. Otherwise, increase the permit duration.",
    "Many wait at gate %(gate)s": "Many are waiting at gate %(gate)s",
    "%(waiting)s wait; %(used)s of %(cap)s slots are in use.": "%(waiting)s are waiting. %(used)s of %(cap)s slots are in use.",
    "Raise the cap if the external system allows it, or wait.": "Wait, or raise the concurrency limit if the external system allows it.",
    "Redis lost its data (%(why)s). Its whole cap counts as used until the permits that were given before have ended, or their holders have reported.": "Redis lost its data (%(why)s). All slots count as used until the permits granted before have ended or their holders have reported.",
    "Wait, or open the gate early with a reason.": "Wait, or open the gate early and give a reason.",
    "No instance of %(group)s takes sessions": "No instance of %(group)s accepts sessions",
    "%(fronts)s front-ends are linked; new sessions are refused.": "%(fronts)s front-ends are linked. New sessions are refused.",
    "Open an instance, or see why none is active.": "Open an instance, or check why none is active.",
    "The upgrade of %(group)s waits for you": "The upgrade of %(group)s is waiting for you",
    "Start the new version, end what is left, or abort the upgrade.": "Start the new version, end the remaining sessions, or abort the upgrade.",
    "Redis lost its data. Visitors come back to their places.": "Redis lost its data. Visitors are returning to their places.",
    "Nothing to do: matching starts after one heartbeat's life.": "No action needed. Matching starts after one heartbeat timeout.",
    "%(level)s%% served within %(within)s s in the last hour; goal %(goal)s%%.": "%(level)s%% served within %(within)s s in the last hour. The goal is %(goal)s%%.",
    "Bring agents online for this queue, or give it more of them.": "Bring more agents of this queue online, or assign more agents to it.",
    "Desk %(desk)s breaks a law of the line": "Desk %(desk)s failed a consistency check",
    "Run manage.py line check; report it as a fault.": "Run manage.py line check and report the result as a bug.",
}


def reword(apps: Any, schema_editor: Any) -> None:
    _change(apps, TEXTS)


def restore(apps: Any, schema_editor: Any) -> None:
    _change(apps, {new: old for old, new in TEXTS.items()})


def _change(apps: Any, texts: dict[str, str]) -> None:
    incidents = apps.get_model("operations", "Incident").objects
    for field in ("title_text", "detail_text", "remedy_text"):
        for kept in set(incidents.values_list(field, flat=True).distinct()) & set(texts):
            incidents.filter(**{field: kept}).update(**{field: texts[kept]})


class Migration(migrations.Migration):
    dependencies = [("operations", "0002_wording")]
    operations = [migrations.RunPython(reword, restore)]
