"""What `manage.py doctor` looks at beside the health checks: a site, seen from the inside.

A health check is asked every second and must be quick. An examination is run by a person after an
installation, an upgrade or an incident, so it may connect to servers elsewhere and write a file.
"""

from poolsite.operations.registry import Examination, register_examination

DEPLOY_SECONDS = 60.0  # it imports every page, which takes a busy machine its time, and asks nobody
WEBHOOKS_SECONDS = 30.0  # dozens of them may be away, each for some seconds
WRITE_SECONDS = 25.0  # SQLite lets a write wait for another one for 20 s


def register() -> None:
    """Called once, by AppConfig.ready(). In the order in which doctor prints them."""
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
