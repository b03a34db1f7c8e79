"""Evaluates Python expressions, a JSON list on standard input, and prints what each is as JSON."""

import json
import math
import sys
import warnings

warnings.simplefilter("ignore")


class NotJson(Exception):
    pass


def encoded(value):
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        try:
            float(value)
        except OverflowError as error:
            raise NotJson from error
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotJson
        return value
    if isinstance(value, list):
        return [encoded(item) for item in value]
    if isinstance(value, tuple):
        return {"__tuple__": [encoded(item) for item in value]}
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: encoded(item) for key, item in value.items()}
    raise NotJson


def answer(source):
    try:
        code = compile(f"dict(of={source}\n)", "tasks.py", "eval")
    except (SyntaxError, ValueError):
        return {"is": "refused"}
    try:
        value = eval(code, {"__builtins__": {"dict": dict}})["of"]
    except Exception:
        return {"is": "fails"}
    try:
        return {"is": "value", "value": encoded(value)}
    except NotJson:
        return {"is": "unknown"}


print(json.dumps([answer(source) for source in json.load(sys.stdin)]))
