#!/usr/bin/env python3
"""metrics.py - every metric that rules and dashboards ask for is one that /metrics has.

    curl -s .../metrics | metrics.py RULES.yml TESTS.yml DASHBOARD.json HANDBOOK.md

A label's value in a query must be one of the metric's where /metrics shows that metric with that label;
each alert has a section of its name in the handbook, and each of those sections an alert; TESTS have a case
in which it is raised, and one in which it is not.
"""
import json
import re
import sys

import yaml

# What Prometheus itself adds.
OF_PROMETHEUS = {"up"}
LABELS_OF_PROMETHEUS = {"job", "instance", "le"}
NAME = re.compile(r"\b((?:regime|process)_[a-z0-9_]+|regime:[a-z0-9_:]+|up(?=\{))")
SELECTOR = re.compile(r"\b((?:regime|process)_[a-z0-9_]+)\{([^}]*)\}")
MATCHER = re.compile(r'([a-z_]+)\s*(=~|!~|!=|=)\s*"([^"]*)"')


def samples(text):
    """Of each metric: the labels that it has, and their values."""
    known = {}
    for line in text.splitlines():
        match = re.match(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? \S+$", line)
        if match:
            labels = known.setdefault(match[1], {})
            for name, value in re.findall(r'([a-z_]+)="([^"]*)"', match[2] or ""):
                labels.setdefault(name, set()).add(value)
    return known


def dashboard_queries(dashboard):
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            match = re.match(r"label_values\((.*), [a-z]+\)$", variable["definition"])
            yield variable["name"], match[1]


def faults_of(place, query, known, recorded):
    for name in NAME.findall(query):
        if name not in known and name not in recorded | OF_PROMETHEUS:
            yield f"{place}: /metrics has no {name}"
    for name, inside in SELECTOR.findall(query):
        for label, operator, value in MATCHER.findall(inside):
            labels = known.get(name, {})
            if label not in labels and label not in LABELS_OF_PROMETHEUS:
                yield f"{place}: {name} has no label {label}"
            if operator == "=" and label in labels and "$" not in value and label != "status":
                if value not in labels[label]:
                    yield f"{place}: {name} has no {label} {value}"


def untested(alerts, path):
    with open(path, encoding="utf-8") as file:
        cases = [case for test in yaml.safe_load(file)["tests"] for case in test["alert_rule_test"]]
    for raised, word in ((True, "raised"), (False, "quiet")):
        names = {case["alertname"] for case in cases if bool(case["exp_alerts"]) == raised}
        yield from (f"no test in which {name} is {word}" for name in alerts - names)


def main(rules_path, tests_path, dashboard_path, handbook_path):
    known = samples(sys.stdin.read())
    with open(rules_path, encoding="utf-8") as file:
        rules = [rule for group in yaml.safe_load(file)["groups"] for rule in group["rules"]]
    with open(dashboard_path, encoding="utf-8") as file:
        dashboard = json.load(file)
    with open(handbook_path, encoding="utf-8") as file:
        sections = set(re.findall(r"^#+ (Regime[A-Z]\w*)$", file.read(), re.M))
    recorded = {rule["record"] for rule in rules if "record" in rule}
    alerts = {rule["alert"] for rule in rules if "alert" in rule}
    faults = [f"the handbook has no section {name}" for name in alerts - sections]
    faults += [f"no alert is called {name}" for name in sections - alerts]
    faults += untested(alerts, tests_path)
    queries = [(rule.get("alert") or rule["record"], rule["expr"]) for rule in rules]
    for place, query in queries + list(dashboard_queries(dashboard)):
        faults += faults_of(place, query, known, recorded)
    if len(queries) < 10 or not known:
        faults.append("too little was read")
    print("\n".join(faults) or f"{len(queries)} rules and the dashboard ask for what is there")
    return bool(faults)


sys.exit(main(*sys.argv[1:]))
