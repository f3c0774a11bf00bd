# syntax=docker/dockerfile:1
# Two images: `--target poolsite` for every process of Poolsite, `--target nginx` for the server in
# front. docs/operations/containers.md says how to run them; compose.yaml does.

ARG PYTHON=python:3.11-slim-bookworm
ARG NGINX=nginx:1.28-bookworm

FROM ${PYTHON} AS build
WORKDIR /opt/poolsite
# As `make setup` does it: from the lock, by hash, wheels only. Kept as long as the lock is the same.
COPY requirements/base.txt requirements/base.txt
COPY poolsite/runtime/bootstrap.py poolsite/runtime/bootstrap.py
RUN python -I poolsite/runtime/bootstrap.py base
COPY . .
RUN POOLSITE_DATA_DIR=/var/lib/poolsite .venv/bin/python manage.py collectstatic --no-input
# The root is read-only later, so modules are compiled here. Nothing is installed at run time.
RUN .venv/bin/python -m compileall -q -j 0 manage.py poolsite numbers queueing billing integrations \
    && .venv/bin/python -m pip uninstall --yes --quiet pip setuptools

FROM ${NGINX} AS nginx
COPY deploy/nginx/poolsite.conf deploy/compose/nginx.sed /etc/nginx/
# The configuration of a single machine, with the addresses and folders of the containers.
RUN sed -f /etc/nginx/nginx.sed /etc/nginx/poolsite.conf > /etc/nginx/conf.d/default.conf \
    && rm /etc/nginx/nginx.sed /etc/nginx/poolsite.conf
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s \
    CMD ["curl", "--fail", "--silent", "--insecure", "https://127.0.0.1/healthz"]

FROM ${PYTHON} AS poolsite
RUN python -m pip uninstall --yes --quiet --root-user-action=ignore setuptools wheel pip \
    && groupadd --gid 10001 poolsite \
    && useradd --uid 10001 --gid poolsite --no-create-home --home-dir /tmp --shell /usr/sbin/nologin poolsite
WORKDIR /opt/poolsite
COPY --from=build /opt/poolsite /opt/poolsite
# The folders that volumes are mounted at: a new volume gets their owner.
RUN install -d -o 10001 -g 10001 /var/lib/poolsite/attachments /var/lib/poolsite/staticfiles /run/poolsite
COPY --from=build --chown=10001:10001 /var/lib/poolsite/staticfiles /var/lib/poolsite/staticfiles
ENV PATH=/opt/poolsite/.venv/bin:/usr/local/bin:/usr/bin:/bin \
    POOLSITE_DATA_DIR=/var/lib/poolsite \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER 10001:10001
EXPOSE 8000
# Of the role web. Other roles listen on nothing: start them with --no-healthcheck.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD ["python", "-m", "poolsite.runtime.healthcheck", "127.0.0.1:8000"]
ENTRYPOINT ["/opt/poolsite/deploy/container/entrypoint"]
CMD ["web"]
