"""The schema of the Kubernetes objects that `deploy/kubernetes` has: `tests/data/kubernetes-1.37.json`.

`python -m tests.support.servers.kubernetes_schema DEFINITIONS` makes it anew, from
`v1.37.0-local-strict/_definitions.json` of the package kubernetes-validate, which is made of
Kubernetes' own OpenAPI description (Apache License 2.0): the definitions that these kinds need,
without descriptions. An object may have no field that its definition does not name.
"""

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema

FILE = Path(__file__).parents[2] / "data" / "kubernetes-1.37.json"
KINDS = {
    "v1/Namespace",
    "v1/PersistentVolumeClaim",
    "v1/Service",
    "apps/v1/Deployment",
    "apps/v1/StatefulSet",
    "autoscaling/v2/HorizontalPodAutoscaler",
    "networking.k8s.io/v1/Ingress",
    "networking.k8s.io/v1/NetworkPolicy",
    "policy/v1/PodDisruptionBudget",
}
REF = "#/definitions/"
SCHEMA: dict[str, Any] = json.loads(FILE.read_bytes()) if FILE.exists() else {}


def kind_of(thing: dict[str, Any]) -> str:
    """The type of an object: its group and version, and its kind."""
    return f"{thing['apiVersion']}/{thing['kind']}"


def validate(thing: dict[str, Any]) -> None:
    """Raises: KeyError for an unknown kind, jsonschema.ValidationError."""
    wanted = {"$ref": REF + SCHEMA["kinds"][kind_of(thing)], "definitions": SCHEMA["definitions"]}
    jsonschema.Draft202012Validator(wanted).validate(thing)


def trimmed(definitions: dict[str, Any]) -> dict[str, Any]:
    """The part of all definitions that is needed, and by what name each kind goes there."""
    kinds: dict[str, str] = {}
    for name, definition in definitions.items():
        for row in definition.get("x-kubernetes-group-version-kind", []):
            group = f"{row['group']}/" if row["group"] else ""
            kinds.setdefault(f"{group}{row['version']}/{row['kind']}", name)
    kept: dict[str, Any] = {}
    waiting = [kinds[kind] for kind in sorted(KINDS)]
    while waiting:
        name = waiting.pop()
        if name not in kept:
            kept[name] = _plain(definitions[name], waiting)
    return {"kinds": {kind: kinds[kind] for kind in sorted(KINDS)}, "definitions": dict(sorted(kept.items()))}


def _plain(value: Any, named: list[str]) -> Any:
    """A definition without what is for people; what it refers to is added to `named`."""
    if isinstance(value, list):
        return [_plain(one, named) for one in value]
    if not isinstance(value, dict):
        return value
    if isinstance(reference := value.get("$ref"), str):
        named.append(reference.rpartition("/")[2])
        return {"$ref": REF + named[-1]}
    return {
        key: _plain(one, named)
        for key, one in value.items()
        if not (key.startswith("x-kubernetes") or (key == "description" and isinstance(one, str)))
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(trimmed(json.loads(Path(sys.argv[1]).read_bytes())["$defs"]), separators=(",", ":")))
