#!/usr/bin/env python3
"""container.py - what deploy/container/Containerfile promises, and its last build step as a script.

    container.py CONTAINERFILE BUILD SOURCE OUT      prints the step that fills OUT, for this build's program
"""
import json
import re
import sys


def instructions(path):
    with open(path, encoding="utf-8") as file:
        text = "".join(line for line in file if not line.startswith("#"))
    for line in text.replace("\\\n", "").splitlines():
        if line.strip():
            name, rest = line.split(None, 1)
            yield name, rest


def main(path, build, source, out):
    lines = list(instructions(path))
    last = [line for line in lines][max(i for i, (name, _) in enumerate(lines) if name == "FROM"):]
    final = {}
    for name, rest in last:
        final.setdefault(name, []).append(rest)
    faults = []
    if final["FROM"] != ["scratch"] or "RUN" in final:
        faults.append("the last stage is not made of copies alone")
    if not re.fullmatch(r"[1-9][0-9]*:[1-9][0-9]*", final.get("USER", ["root"])[-1]):
        faults.append("it runs as root")
    if json.loads(final["ENTRYPOINT"][0]) != ["/usr/bin/regimed"]:
        faults.append("it starts something else")
    if not final["HEALTHCHECK"][0].split("CMD ")[1].startswith('["/usr/bin/regimed", "--healthcheck"'):
        faults.append("the health check needs a shell")
    steps = [json.loads(rest)[2] for name, rest in lines if name == "RUN" and "ldd" in rest]
    if len(steps) != 1 or faults:
        sys.exit("\n".join(faults) or "no step that collects the libraries")
    step = steps[0].replace("/out", out).replace("/src/", source + "/").replace("/build/", build + "/")
    print(step)


main(*sys.argv[1:])
