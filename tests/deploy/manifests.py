"""The manifests of deploy/kubernetes and the commands of their guide, as tests read them."""

import re
from typing import Any

import yaml

from tests.house.source import ROOT

FOLDER = ROOT / "deploy" / "kubernetes"
GUIDE = (ROOT / "docs" / "operations" / "kubernetes.md").read_text()
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
Document = dict[str, Any]
DOCUMENTS: list[Document] = [
    one
    for name in KUSTOMIZATION["resources"]
    for one in yaml.safe_load_all((FOLDER / name).read_text())
]
NAMED = {f"{one['kind']}/{one['metadata']['name']}": one for one in DOCUMENTS}
PODS: dict[str, Document] = {
    one["metadata"]["name"]: one["spec"]["template"]
    for one in DOCUMENTS
    if one["kind"] in ("Deployment", "Job")
}
ENVIRONMENT: dict[str, str] = NAMED["ConfigMap/settings"]["data"]


def all_of(kind: str) -> list[Document]:
    """Return every document of a kind."""
    return [one for one in DOCUMENTS if one["kind"] == kind]


def containers(*names: str) -> list[Document]:
    """Return all containers of these pods, or of all, in the order in which they start."""
    specs = [PODS[name]["spec"] for name in names or PODS]
    return [one for spec in specs for one in [*spec.get("initContainers", []), *spec["containers"]]]


def words(name: str) -> list[str]:
    """Return the arguments of the entry point of a pod with one container."""
    (one,) = containers(name)
    given: list[str] = one["args"]
    return given


def console() -> str:
    """Return the commands of the guide, each in one line."""
    fenced = re.findall(r"^ *```console\n(.*?)^ *```$", GUIDE, re.MULTILINE | re.DOTALL)
    return "".join(fenced).replace("\\\n", " ")
