"""What `manage.py doctor` checks in addition to the health checks: a site, seen from the inside.

Health checks run every second and must be quick. A person runs examinations after an installation,
an upgrade or an incident, so they may connect to other servers and write a file.
"""

from poolsite.operations.registry import Examination, register_examination

DEPLOY_SECONDS = 60.0  # it imports every page, which takes time on a busy machine
WEBHOOKS_SECONDS = 30.0  # dozens of endpoints may be down, each for some seconds
WRITE_SECONDS = 25.0  # SQLite lets a write wait 20 s for another write


def register() -> None:
    """Register the examinations. AppConfig.ready() calls this once.

    doctor prints them in this order.
    """
    from poolsite.operations.doctor import machine, outside, redis_servers, site, sql
    from poolsite.operations.doctor.certificate import certificate

    for examination in (
        Examination("settings", site.settings_refused),
        Examination("deploy", site.settings_advised, DEPLOY_SECONDS),
        Examination("redis.servers", redis_servers.reached),
        Examination("redis.memory", redis_servers.memory),
        Examination("redis.aof", redis_servers.append_only_file),
        Examination("redis.replicas", redis_servers.replicas),
        Examination("redis.rights", redis_servers.rights),
        Examination("redis.users", redis_servers.users),
        Examination("scripts", site.scripts),
        Examination("releases", site.releases),
        Examination("sql.server", sql.server),
        Examination("sql.writes", sql.writes, WRITE_SECONDS),
        Examination("sql.pooler", sql.pooler),
        Examination("sql.connections", sql.connections_left),
        Examination("clocks", machine.clocks),
        Examination("disk", machine.disk),
        Examination("attachments", machine.attachments),
        Examination("static", machine.static_files),
        Examination("certificate", certificate),
        Examination("mail", outside.mail),
        Examination("webhooks", outside.webhooks, WEBHOOKS_SECONDS),
        Examination("oidc", outside.sign_on),
    ):
        register_examination(examination)
