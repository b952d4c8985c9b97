"""Turns most requests into ones that the product accepts, so that not only refusals are checked.

Generated requests have all optional parameters at once, among them values that only the product can make: cursors, plan tokens,
positions. Most of them are dropped here, and most ids are replaced by those of existing resources. What happens to a request depends
on its content only, so a seed repeats a run.
"""

import json
import os
import zlib

import schemathesis

OPAQUE = {"cursor", "planToken", "minPosition", "Stave-Min-Position", "If-Match", "Last-Event-ID"}
EXISTING = json.loads(os.environ["STAVE_EXISTING_IDS"])
# these hold a request open for long, and only some are to do that
WAITING = {"wait", "follow"}
# deletions would soon leave nothing to ask about
KEPT_ALIVE = {"DELETE"}


def _digest(case):
    parts = (case.method, case.path_parameters, case.query, case.headers)
    return zlib.crc32(repr(parts).encode("utf-8", "surrogatepass"))


def _some(values, digest):
    """Keeps at most two of the parameters."""
    names = sorted(values, key=str)
    chosen = {names[digest % len(names)], names[digest // 7 % len(names)]} if names else set()
    return {name: value for name, value in values.items() if name in chosen}


@schemathesis.hook
def before_call(ctx, case, kwargs):
    digest = _digest(case)
    if digest % 4 == 0:
        return
    query = {name: value for name, value in (case.query or {}).items() if name not in OPAQUE | WAITING}
    case.query = {} if digest % 4 == 1 else query if digest % 4 == 2 else _some(query, digest // 4)
    if case.operation.path == "/v1/events":
        case.query["since"] = "start"
    for name in OPAQUE:
        if case.headers and name in case.headers:
            del case.headers[name]
    ids = next((ids for path, ids in EXISTING.items() if case.operation.path.startswith(path + "/{")), None)
    if ids is None or not case.path_parameters or case.method.upper() in KEPT_ALIVE:
        return
    [first, *below] = case.path_parameters
    case.path_parameters[first] = ids[digest // 4 % len(ids)]
    for name in below:
        case.path_parameters[name] = "1.0.0" if name == "version" else "w"
