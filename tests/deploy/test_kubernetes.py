"""The manifests of deploy/kubernetes: valid, and consistent with product, units and guide."""

import re
from ipaddress import ip_network
from typing import Any

import httpx
import kubernetes_validate
import pytest
from django.conf import settings as ours
from uvicorn.main import main as uvicorn

from poolsite.access.addresses import right_most
from poolsite.runtime import safety
from tests.deploy.edge import SHIPPED
from tests.deploy.image import DATA, stages
from tests.deploy.manifests import (
    DOCUMENTS,
    ENVIRONMENT,
    FOLDER,
    GUIDE,
    KUSTOMIZATION,
    NAMED,
    PODS,
    all_of,
    console,
    containers,
    words,
)
from tests.deploy.units import FOLDER as UNITS
from tests.deploy.units import read
from tests.house.source import ROOT

ENTRYPOINT = (ROOT / "deploy" / "container" / "entrypoint").read_text()
SECRETS = "/run/secrets/poolsite/"
LABEL = "app.kubernetes.io/component"
INGRESS_KEEPS_SECONDS = 60  # upstream-keepalive-timeout of ingress-nginx, unless it is set
UNIT_OF = {
    "web": "poolsite-web@8101.service",
    "timers": "poolsite-timers@1.service",
    "beat": "poolsite-beat.service",
    **{f"worker-{name}": f"poolsite-worker@{name}.service" for name in ours.CELERY_TASK_QUEUES},
}
RESTRICTED = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}


@pytest.mark.parametrize("name", NAMED)
def test_every_document_is_valid_for_the_oldest_and_the_newest_kubernetes(name: str) -> None:
    (oldest,) = re.findall(r"Kubernetes (1\.\d+) or newer", GUIDE)
    newest = kubernetes_validate.latest_version()
    assert kubernetes_validate.validate(NAMED[name], oldest, strict=True) == oldest
    assert newest.startswith(kubernetes_validate.validate(NAMED[name], newest, strict=True))


def test_the_kustomization_has_every_file_and_the_one_image() -> None:
    files = {path.name for path in FOLDER.iterdir()} - {"kustomization.yaml"}
    assert sorted(KUSTOMIZATION["resources"]) == sorted(files)
    assert len(NAMED) == len(DOCUMENTS)
    assert f"Namespace/{KUSTOMIZATION['namespace']}" in NAMED
    (image,) = KUSTOMIZATION["images"]
    assert {one["image"] for one in containers()} == {image["name"]}
    assert image["newTag"] != "latest"


def test_every_part_of_a_site_is_there() -> None:
    assert set(PODS) == {*UNIT_OF, "migrate"}
    replicas = {name: NAMED[f"Deployment/{name}"]["spec"]["replicas"] for name in UNIT_OF}
    assert {name for name, count in replicas.items() if count == 2} == {"web", "timers", "beat"}
    queues = [words(name)[2] for name in PODS if name.startswith("worker-")]
    assert sorted(queues) == sorted(ours.CELERY_TASK_QUEUES)


def test_every_container_is_given_a_role_that_the_entry_point_knows() -> None:
    roles = set(re.findall(r"^ +(\w+)\)", ENTRYPOINT, re.MULTILINE))
    assert "web" in roles
    assert {one["args"][0] for one in containers()} == roles
    assert not [one for one in containers() if "command" in one]


@pytest.mark.parametrize("queue", ours.CELERY_TASK_QUEUES)
def test_a_worker_is_that_of_systemd_with_a_number_of_children(queue: str) -> None:
    role, *options = words(f"worker-{queue}")
    assert role == "worker"
    own = read(UNITS, UNIT_OF[f"worker-{queue}"]).command()
    assert options[:-2] == own[own.index("-Q") :]
    # Without it, a worker has a child for each core of the node, in the memory of one pod.
    assert options[-2] == "-c"
    assert int(options[-1]) > 1


def test_the_job_does_what_an_upgrade_does_before_the_processes_are_replaced() -> None:
    page = (ROOT / "docs" / "operations" / "upgrade.md").read_text()
    (step,) = re.findall(r"^3\. (.*?)^4\. ", page, re.MULTILINE | re.DOTALL)
    done = [one["args"][1] for one in containers("migrate")]
    assert done == re.findall(r"manage\.py (\w+)", step)


@pytest.mark.parametrize("name", PODS)
def test_every_container_has_no_more_rights_than_it_needs(name: str) -> None:
    spec = PODS[name]["spec"]
    user, group = map(int, stages()["poolsite"].all("USER")[-1].split(":"))
    assert spec["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": user,
        "runAsGroup": group,
        "fsGroup": group,
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert spec["automountServiceAccountToken"] is False
    assert spec["enableServiceLinks"] is False
    assert spec["shareProcessNamespace"] is True  # as `init: true` in compose.yaml
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(spec)
    for one in containers(name):
        assert one["securityContext"] == RESTRICTED


@pytest.mark.parametrize("name", PODS)
def test_what_a_container_mounts_exists(name: str) -> None:
    volumes = {one["name"]: one for one in PODS[name]["spec"]["volumes"]}
    (folders,) = [one for one in stages()["poolsite"].all("RUN") if one.startswith("install ")]
    writable = {"/tmp", *(place for place in folders.split() if place.startswith(DATA))}
    for one in containers(name):
        mounts = {each["mountPath"]: each for each in one["volumeMounts"]}
        assert "/tmp" in mounts
        for path, each in mounts.items():
            assert path in writable if not each.get("readOnly") else f"{path}/" == SECRETS
            claim = volumes[each["name"]].get("persistentVolumeClaim")
            assert claim is None or f"PersistentVolumeClaim/{claim['claimName']}" in NAMED
    mounted = {each["mountPath"] for one in containers(name) for each in one["volumeMounts"]}
    assert (f"{DATA}/attachments" in mounted) is name.startswith(("web", "worker"))
    assert (f"{DATA}/staticfiles" in mounted) is (name in ("web", "migrate"))


@pytest.mark.parametrize("name", UNIT_OF)
def test_a_process_gets_the_memory_and_the_time_that_its_unit_gives(name: str) -> None:
    unit = read(UNITS, UNIT_OF[name])
    (one,) = containers(name)
    assert one["resources"]["limits"] == {"memory": f"{unit.value('MemoryMax')}i"}
    assert set(one["resources"]["requests"]) == {"cpu", "memory"}
    assert PODS[name]["spec"]["terminationGracePeriodSeconds"] >= int(unit.value("TimeoutStopSec"))


def test_a_web_process_gets_the_time_that_it_needs_to_end() -> None:
    (web,) = containers("web")
    program, seconds = web["lifecycle"]["preStop"]["exec"]["command"]
    assert program == "sleep"
    (graceful,) = re.findall(r"--timeout-graceful-shutdown (\d+)", ENTRYPOINT)
    drained = int(seconds) + ours.DRAIN_SECONDS
    needed = drained + int(graceful)
    assert needed < PODS["web"]["spec"]["terminationGracePeriodSeconds"] <= needed + 15
    deployment = NAMED["Deployment/web"]["spec"]
    assert deployment["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}
    assert deployment["minReadySeconds"] >= drained


def test_a_web_process_keeps_connections_for_longer_than_the_ingress_controller() -> None:
    role, option, seconds = words("web")
    assert role == "web"
    assert option in {name for each in uvicorn.params for name in each.opts}
    assert option == "--timeout-keep-alive"
    assert int(seconds) > INGRESS_KEEPS_SECONDS
    assert f"less than {seconds} s" in GUIDE


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("clean_redis")
@pytest.mark.parametrize("probe", ["startupProbe", "readinessProbe", "livenessProbe"])
async def test_a_probe_is_answered_at_the_address_of_a_pod(probe: str, settings: Any) -> None:
    """The kubelet asks without TLS, and names the pod's address as the host."""
    from poolsite.asgi import application

    settings.ALLOWED_HOSTS = ENVIRONMENT["POOLSITE_ALLOWED_HOSTS"].split(",")
    (web,) = containers("web")
    asked = web[probe]["httpGet"]
    assert asked["port"] in {port["name"] for port in web["ports"]}
    transport = httpx.ASGITransport(app=application, client=("10.0.0.7", 40000))
    async with httpx.AsyncClient(transport=transport, base_url="http://10.244.1.9:8000") as kubelet:
        assert (await kubelet.get(asked["path"])).status_code == 200
        assert (await kubelet.get("/login/")).status_code == 400  # a page has to name the site


def test_the_image_s_port_is_that_of_the_service_and_the_policy() -> None:
    (port,) = stages()["poolsite"].all("EXPOSE")
    (web,) = containers("web")
    assert web["ports"] == [{"name": "http", "containerPort": int(port)}]
    assert f"--port {port}" in ENTRYPOINT
    assert NAMED["Service/web"]["spec"]["ports"][0]["targetPort"] == "http"
    (rule,) = NAMED["NetworkPolicy/web"]["spec"]["ingress"]
    assert [each["port"] for each in rule["ports"]] == [int(port)]
    assert "regex: web;http" in GUIDE  # component and port, for Prometheus


@pytest.mark.parametrize("name", NAMED)
def test_whatever_chooses_pods_finds_them_by_their_component(name: str) -> None:
    labels = {name: pod["metadata"]["labels"] for name, pod in PODS.items()}
    assert labels == {name: {LABEL: name} for name in PODS}
    spec = NAMED[name].get("spec", {})
    kind, _, own = name.partition("/")
    chosen = spec.get("podSelector") or spec.get("selector") or {}
    if kind != "PersistentVolumeClaim" and chosen:
        assert chosen.get("matchLabels", chosen) == {LABEL: own}
    for spread in spec.get("template", {}).get("spec", {}).get("topologySpreadConstraints", []):
        assert spread["labelSelector"] == {"matchLabels": {LABEL: own}}
        assert spread["whenUnsatisfiable"] == "ScheduleAnyway"


def test_every_variable_is_a_setting_and_no_secret_is_among_them() -> None:
    table = (ROOT / "docs" / "operations" / "settings.md").read_text()
    known = set(re.findall(r"^\| `([A-Z][A-Z0-9_]+)` \|", table, re.MULTILINE))
    assert {name.removesuffix("_FILE") for name in ENVIRONMENT} - known == set()
    assert not [name for name in ENVIRONMENT if name.endswith(("KEY", "PASSWORD", "TOKEN", "_URL"))]
    given = [{"configMapRef": {"name": "settings"}}]
    assert all(one["envFrom"] == given for one in containers())
    assert not [one for one in containers() if "env" in one]


def test_every_secret_is_one_that_the_guide_creates() -> None:
    (line,) = [one for one in console().splitlines() if "create secret generic" in one]
    files = re.findall(r"--from-file=\S*?(\w+)(?= |$)", line)
    paths = [path for name, path in ENVIRONMENT.items() if name.endswith("_FILE")]
    assert sorted(paths) == sorted(f"{SECRETS}{name}" for name in files)
    assert {f"> ../secrets/{name}" for name in files} == set(re.findall(r"> \S+", console()))
    secret = {"secretName": re.search(r"secret generic (\w+)", line)[1], "defaultMode": 0o440}
    for pod in PODS.values():
        (volume,) = [one for one in pod["spec"]["volumes"] if one["name"] == "secrets"]
        assert volume["secret"] == secret
    assert "Secret" not in {one["kind"] for one in DOCUMENTS}
    (certificate,) = re.findall(r"create secret tls (\w+)", console())
    for one in all_of("Ingress"):
        assert [each["secretName"] for each in one["spec"]["tls"]] == [certificate]


def test_the_settings_are_not_refused_and_believe_the_ingress_controller(settings: Any) -> None:
    settings.BEHIND_TLS = ENVIRONMENT["POOLSITE_BEHIND_TLS"] == "1"
    settings.TRUSTED_PROXIES = ENVIRONMENT["POOLSITE_TRUSTED_PROXIES"].split(",")
    settings.ALLOWED_HOSTS = ENVIRONMENT["POOLSITE_ALLOWED_HOSTS"].split(",")
    assert settings.BEHIND_TLS
    assert [*safety.proxy_refusals(), *safety.host_refusals()] == []
    controller = str(ip_network(settings.TRUSTED_PROXIES[0])[9])
    assert right_most(controller, "203.0.113.9") == "203.0.113.9"


def test_the_ingress_says_what_nginx_says() -> None:
    conf = SHIPPED.read_text()
    prefix = "nginx.ingress.kubernetes.io/"
    web, sockets, metrics = (
        {key.removeprefix(prefix): value for key, value in one["metadata"]["annotations"].items()}
        for one in all_of("Ingress")
    )
    assert f"client_max_body_size {web.pop('proxy-body-size')};" in conf
    for key, value in [*web.items(), *sockets.items()]:
        unit = "s" if key.endswith("timeout") else ""
        assert f"{key.replace('-', '_')} {value}{unit};" in conf
    assert set(web) == set(sockets)
    assert "http_503" in sockets["proxy-next-upstream"]
    assert "http_503" not in web["proxy-next-upstream"]
    assert metrics == {"whitelist-source-range": "127.0.0.1/32"}


def test_the_ingress_passes_the_site_s_host_to_the_service() -> None:
    paths = {}
    for one in all_of("Ingress"):
        (rule,) = one["spec"]["rules"]
        hosts = [rule["host"], *one["spec"]["tls"][0]["hosts"]]
        assert set(hosts) == {ENVIRONMENT["POOLSITE_ALLOWED_HOSTS"]}
        (path,) = rule["http"]["paths"]
        assert path["pathType"] == "Prefix"  # the schema does not list the values
        assert path["backend"] == {"service": {"name": "web", "port": {"name": "http"}}}
        paths[one["metadata"]["name"]] = path["path"]
    assert paths == {"web": "/", "websockets": "/ws/", "metrics": "/metrics"}
    assert ENVIRONMENT["POOLSITE_PUBLIC_HOST"] == ENVIRONMENT["POOLSITE_ALLOWED_HOSTS"]


def test_the_commands_of_the_guide_name_what_exists() -> None:
    labels = {one["metadata"]["labels"][LABEL] for one in DOCUMENTS}
    chosen = re.findall(rf"--selector '?{LABEL}(?:=(\w+)| in \(([^)]+)\))", console())
    assert {name for pair in chosen for name in re.findall(r"\w+", " ".join(pair))} <= labels
    assert len(chosen) == 3
    named = re.findall(r"(?<= )(deployment|job)/([\w-]+)", console())
    assert named
    assert [pair for pair in named if f"{pair[0].title()}/{pair[1]}" not in NAMED] == []
    namespaces = set(re.findall(r"--namespace (\S+)", console()))
    assert namespaces == {KUSTOMIZATION["namespace"], "ingress-nginx"}
    assert set(re.findall(r"--kustomize (\S+)", console())) == {"deploy/kubernetes"}


def test_claims_are_for_every_node_and_two_of_each_are_not_evicted_together() -> None:
    claims = all_of("PersistentVolumeClaim")
    assert {one["metadata"]["name"] for one in claims} == {"attachments", "static"}
    assert all(one["spec"]["accessModes"] == ["ReadWriteMany"] for one in claims)
    budgets = [(one["metadata"]["name"], one["spec"]) for one in all_of("PodDisruptionBudget")]
    assert [(name, spec["maxUnavailable"]) for name, spec in budgets] == [("web", 1), ("timers", 1)]
