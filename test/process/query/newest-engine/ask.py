"""Asks the engine of the package `chdb`, which is newer than the one that ships.

Reads one line of JSON: {"path": data folder of the engine, "settings": {…}, "questions": [SQL, …]}.
Writes lines of JSON: the version, then for each question {"answer": text} or {"error": text}.
"""

import json
import sys

from chdb import session

order = json.loads(sys.stdin.readline())
engine = session.Session(order["path"])


def ask(sql):
    return str(engine.query(sql, "TSVWithNames"))


def outcome(sql):
    try:
        return {"answer": ask(sql)}
    except Exception as error:
        return {"error": str(error)}


ask("USE custom_data")
for name, value in order["settings"].items():
    ask(f"SET {name} = '{value}'")
print(json.dumps(ask("SELECT version()").split("\n")[1]))
for question in order["questions"]:
    print(json.dumps(outcome(question)))
