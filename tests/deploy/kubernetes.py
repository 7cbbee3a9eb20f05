#!/usr/bin/env python3
"""kubernetes.py - manifests against what Kubernetes requires of them, without a cluster.

    kubernetes.py OPENAPI.json MANIFESTS.yaml...     each file: all documents of one deployment
    kubernetes.py --chart FOLDER                     a Helm chart's values, schema and templates, unrendered

Required fields, names that refer to something, selectors that find their pods, ports that exist, probes
that ask for routes of the daemon (OPENAPI), and the restricted pod security standard:
https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
"""
import json
import pathlib
import re
import sys

import yaml

API_VERSIONS = {
    "Namespace": "v1", "ServiceAccount": "v1", "ConfigMap": "v1", "Service": "v1",
    "Deployment": "apps/v1", "StatefulSet": "apps/v1", "CronJob": "batch/v1",
    "PodDisruptionBudget": "policy/v1", "HorizontalPodAutoscaler": "autoscaling/v2",
    "NetworkPolicy": "networking.k8s.io/v1", "Role": "rbac.authorization.k8s.io/v1",
    "RoleBinding": "rbac.authorization.k8s.io/v1", "HTTPRoute": "gateway.networking.k8s.io/v1",
    "ServiceMonitor": "monitoring.coreos.com/v1",
}  # fmt: skip
# Of each kind: fields that must be there.
REQUIRED = {
    "Service": ["spec.selector", "spec.ports"],
    "Deployment": ["spec.selector.matchLabels", "spec.template.metadata.labels", "spec.template.spec.containers"],
    "StatefulSet": ["spec.serviceName", "spec.selector.matchLabels", "spec.template.metadata.labels",
                    "spec.template.spec.containers", "spec.volumeClaimTemplates"],
    "CronJob": ["spec.schedule", "spec.jobTemplate.spec.template.spec.restartPolicy"],
    "PodDisruptionBudget": ["spec.selector.matchLabels"],
    "HorizontalPodAutoscaler": ["spec.scaleTargetRef.name", "spec.maxReplicas", "spec.metrics"],
    "NetworkPolicy": ["spec.podSelector", "spec.policyTypes"],
    "RoleBinding": ["roleRef.name", "subjects"],
    "Role": ["rules"],
    "HTTPRoute": ["spec.parentRefs", "spec.rules"],
    "ServiceMonitor": ["spec.selector", "spec.endpoints"],
}  # fmt: skip
NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$")
LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$")
QUANTITY = re.compile(r"[0-9]+(\.[0-9]+)?(m|k|M|G|Ki|Mi|Gi|Ti)?$")
VOLUMES_ALLOWED = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim",
                   "projected", "secret"}  # fmt: skip


def at(thing, path):
    for part in path.split("."):
        if not isinstance(thing, dict) or part not in thing:
            return None
        thing = thing[part]
    return thing


def pod_of(document):
    """The pod template of a document, or None."""
    if document["kind"] == "CronJob":
        return at(document, "spec.jobTemplate.spec.template")
    return at(document, "spec.template") if document["kind"] in ("Deployment", "StatefulSet") else None


def containers_of(pod):
    spec = pod["spec"]
    return spec.get("initContainers", []) + spec["containers"]


def selects(selector, labels):
    return bool(selector) and all(labels.get(name) == value for name, value in selector.items())


class Deployment:
    """All documents of one deployment, and what is wrong with them."""

    def __init__(self, documents, routes):
        self.documents = documents
        self.routes = routes
        self.faults = []
        self.pods = [(document, pod) for document in documents if (pod := pod_of(document))]

    def fault(self, document, what):
        self.faults.append(f"{document.get('kind')} {at(document, 'metadata.name')}: {what}")

    def named(self, kind):
        return {document["metadata"]["name"]: document for document in self.documents if document["kind"] == kind}

    def check(self):
        seen = set()
        for document in self.documents:
            key = (document.get("kind"), at(document, "metadata.name"))
            if key in seen:
                self.fault(document, "stands twice")
            seen.add(key)
            self.check_document(document)
        for document, pod in self.pods:
            self.check_pod(document, pod)
        return self.faults

    def check_document(self, document):
        kind = document.get("kind")
        if API_VERSIONS.get(kind) != document.get("apiVersion"):
            return self.fault(document, f"apiVersion {document.get('apiVersion')}")
        if not NAME.match(at(document, "metadata.name") or ""):
            self.fault(document, "no valid name")
        for path in REQUIRED.get(kind, []):
            if at(document, path) is None:
                self.fault(document, f"{path} is missing")
        for value in (at(document, "metadata.labels") or {}).values():
            if not isinstance(value, str) or not LABEL_VALUE.match(value):
                self.fault(document, f"label {value!r}")
        check = getattr(self, "check_" + kind, None)
        if check:
            check(document)

    def pods_selected(self, selector):
        return [pod for _, pod in self.pods if selects(selector, pod["metadata"]["labels"])]

    def check_port(self, document, port, pods):
        for pod in pods:
            ports = [entry for container in pod["spec"]["containers"] for entry in container.get("ports", [])]
            if not any(port in (entry.get("name"), entry["containerPort"]) for entry in ports):
                self.fault(document, f"port {port} is none of its pods'")

    def check_Service(self, document):
        pods = self.pods_selected(document["spec"]["selector"])
        if len(pods) != 1:
            self.fault(document, f"selects {len(pods)} kinds of pods")
        for port in document["spec"]["ports"]:
            self.check_port(document, port.get("targetPort", port["port"]), pods)

    def check_ConfigMap(self, document):
        for name, value in document["data"].items():
            if not isinstance(value, str):
                self.fault(document, f"{name} is no text")

    def check_StatefulSet(self, document):
        service = self.named("Service").get(document["spec"]["serviceName"])
        if not service or service["spec"].get("clusterIP") != "None":
            self.fault(document, "its service is missing or not headless")
        if document["spec"].get("replicas") != 1:
            self.fault(document, "there is one writer")

    def check_PodDisruptionBudget(self, document):
        if len(self.pods_selected(document["spec"]["selector"]["matchLabels"])) != 1:
            self.fault(document, "selects nothing, or more than it should")

    def check_HorizontalPodAutoscaler(self, document):
        target = document["spec"]["scaleTargetRef"]
        scaled = self.named(target["kind"]).get(target["name"])
        if not scaled:
            return self.fault(document, f"there is no {target['name']}")
        if "replicas" in scaled["spec"]:
            self.fault(document, "its target sets replicas itself")
        for container in containers_of(pod_of(scaled)):
            if not at(container, "resources.requests.cpu"):
                self.fault(document, f"{container['name']} requests no cpu to measure by")
        if not document["spec"].get("minReplicas", 1) <= document["spec"]["maxReplicas"]:
            self.fault(document, "more at least than at most")

    def check_NetworkPolicy(self, document):
        pods = self.pods_selected(document["spec"]["podSelector"].get("matchLabels"))
        if not pods:
            self.fault(document, "selects nothing")
        for rule in document["spec"].get("ingress") or []:
            for port in rule.get("ports", []):
                self.check_port(document, port["port"], pods)

    def check_RoleBinding(self, document):
        if document["roleRef"]["name"] not in self.named("Role"):
            self.fault(document, "its role is missing")
        for subject in document["subjects"]:
            if subject["name"] not in self.named("ServiceAccount"):
                self.fault(document, f"there is no account {subject['name']}")

    def check_HTTPRoute(self, document):
        services = self.named("Service")
        for rule in document["spec"]["rules"]:
            for backend in rule["backendRefs"]:
                service = services.get(backend["name"])
                if not service or backend["port"] not in [port["port"] for port in service["spec"]["ports"]]:
                    self.fault(document, f"there is no {backend}")
            for match in rule["matches"]:
                path = match["path"]
                if path["type"] == "Exact" and path["value"] not in self.routes:
                    self.fault(document, f"{path['value']} is no route")

    def check_ServiceMonitor(self, document):
        selector = document["spec"]["selector"]["matchLabels"]
        services = [s for s in self.named("Service").values() if selects(selector, s["metadata"]["labels"])]
        if not services:
            self.fault(document, "selects no service")
        for endpoint in document["spec"]["endpoints"]:
            if endpoint["path"] not in self.routes:
                self.fault(document, f"{endpoint['path']} is no route")
            for service in services:
                if endpoint["port"] not in [port.get("name") for port in service["spec"]["ports"]]:
                    self.fault(document, f"there is no port {endpoint['port']}")

    def check_pod(self, document, pod):
        spec = pod["spec"]
        selector = at(document, "spec.selector.matchLabels")
        if selector is not None and not selects(selector, pod["metadata"]["labels"]):
            self.fault(document, "its selector does not find its own pods")
        if spec.get("serviceAccountName") not in self.named("ServiceAccount"):
            self.fault(document, f"there is no account {spec.get('serviceAccountName')}")
        security = spec.get("securityContext", {})
        if security.get("runAsNonRoot") is not True or not security.get("runAsUser"):
            self.fault(document, "may run as root")
        if at(security, "seccompProfile.type") not in ("RuntimeDefault", "Localhost"):
            self.fault(document, "no seccomp profile")
        for name in ("hostNetwork", "hostPID", "hostIPC"):
            if spec.get(name):
                self.fault(document, name)
        volumes = self.check_volumes(document, spec)
        names = [container["name"] for container in containers_of(pod)]
        if len(set(names)) != len(names):
            self.fault(document, "two containers of one name")
        for container in containers_of(pod):
            self.check_container(document, container, volumes)

    def check_volumes(self, document, spec):
        names = {claim["metadata"]["name"] for claim in at(document, "spec.volumeClaimTemplates") or []}
        for volume in spec.get("volumes", []):
            kinds = set(volume) - {"name"}
            if not kinds or kinds - VOLUMES_ALLOWED:
                self.fault(document, f"volume {volume['name']} of {kinds}")
            if "configMap" in volume and volume["configMap"]["name"] not in self.named("ConfigMap"):
                self.fault(document, f"there is no map {volume['configMap']['name']}")
            names.add(volume["name"])
        return names

    def check_container(self, document, container, volumes):
        name = container["name"]
        security = container.get("securityContext", {})
        if security.get("allowPrivilegeEscalation") is not False or security.get("privileged"):
            self.fault(document, f"{name} may gain privileges")
        if "ALL" not in (at(security, "capabilities.drop") or []):
            self.fault(document, f"{name} keeps capabilities")
        if security.get("readOnlyRootFilesystem") is not True:
            self.fault(document, f"{name} may write into its image")
        if not container.get("image") or container["image"].endswith(":latest") or ":" not in container["image"]:
            self.fault(document, f"{name} has no fixed image: {container.get('image')}")
        for path in ("resources.requests.cpu", "resources.requests.memory", "resources.limits.memory"):
            if not QUANTITY.match(str(at(container, path))):
                self.fault(document, f"{name}: {path} is {at(container, path)}")
        for mount in container.get("volumeMounts", []):
            if mount["name"] not in volumes:
                self.fault(document, f"{name} mounts {mount['name']}, which is none")
        for source in container.get("envFrom", []):
            config = at(source, "configMapRef.name")
            if config and config not in self.named("ConfigMap"):
                self.fault(document, f"there is no map {config}")
        if container.get("ports"):
            self.check_probes(document, container)

    def check_probes(self, document, container):
        ports = {port.get("name") for port in container["ports"]}
        for kind in ("startupProbe", "livenessProbe", "readinessProbe"):
            probe = at(container, kind + ".httpGet")
            if not probe or probe["path"] not in self.routes or probe["port"] not in ports:
                self.fault(document, f"{container['name']}: {kind} is {probe}")
        if at(container, "livenessProbe.httpGet.path") != "/healthz":
            self.fault(document, "liveness asks for more than that the process answers")


def check_manifests(openapi, paths):
    with open(openapi, encoding="utf-8") as file:
        routes = set(json.load(file)["paths"])
    faults = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            documents = [document for document in yaml.safe_load_all(file) if document]
        if len(documents) < 5:
            faults.append(f"{path}: only {len(documents)} documents")
        faults += [f"{path}: {fault}" for fault in Deployment(documents, routes).check()]
        print(f"{path}: {len(documents)} documents")
    return faults


def schema_faults(value, schema, root, place):
    """The parts of JSON Schema that the chart's schema uses."""
    if "$ref" in schema:
        schema = at(root, schema["$ref"].removeprefix("#/").replace("/", "."))
    types = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}
    if "type" in schema and not isinstance(value, types[schema["type"]]):
        yield f"{place} is no {schema['type']}"
        return
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                yield f"{place}.{name} is missing"
        for name, item in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            if inner is False:
                yield f"{place}.{name} is not in the schema"
            elif isinstance(inner, dict):
                yield from schema_faults(item, inner, root, f"{place}.{name}")
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{place} is {value}"


def check_chart(folder):
    folder = pathlib.Path(folder)
    chart = yaml.safe_load((folder / "Chart.yaml").read_text())
    values = yaml.safe_load((folder / "values.yaml").read_text())
    schema = json.loads((folder / "values.schema.json").read_text())
    faults = [f"Chart.yaml: no {name}" for name in ("apiVersion", "name", "version") if name not in chart]
    faults += schema_faults(values, schema, schema, "values")
    used, defined, included = set(), set(), set()
    for template in sorted((folder / "templates").iterdir()):
        text = template.read_text()
        used |= set(re.findall(r"\.Values\.([A-Za-z.]+)", text))
        defined |= set(re.findall(r'define "([^"]+)"', text))
        included |= set(re.findall(r'include "([^"]+)"', text))
        opened = len(re.findall(r"\{\{-? *(?:if|with|range|define)\b", text))
        if opened != len(re.findall(r"\{\{-? *end\b", text)):
            faults.append(f"{template.name}: a block is not closed")
    faults += [f"no value {name}" for name in used if at(values, name) is None]
    faults += [f"no template {name}" for name in included - defined]
    faults += [f"template {name} is not used" for name in defined - included]
    print(f"{folder}: {len(used)} values used, {len(defined)} templates")
    return faults


def main(first, *rest):
    faults = check_chart(*rest) if first == "--chart" else check_manifests(first, rest)
    print("\n".join(faults))
    return bool(faults)


sys.exit(main(*sys.argv[1:]))
