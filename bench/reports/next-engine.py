"""Times questions on the engine of the package `chdb`, which is newer than the one that ships.

Reads one line of JSON: {"path": data folder of the engine, "reads": …, "questions": [SQL, …]}.
Writes one: {"version": …, "ms": [median, …], "answers": [text, …]}.
"""

import json
import statistics
import sys
import time

from chdb import session

order = json.loads(sys.stdin.readline())
engine = session.Session(order["path"])


def ask(sql):
    return str(engine.query(sql, "TSV"))


def median(sql):
    took = []
    for _ in range(order["reads"]):
        start = time.perf_counter()
        ask(sql)
        took.append(1000 * (time.perf_counter() - start))
    return statistics.median(took)


answers = [ask(sql) for sql in order["questions"]]
ms = [median(sql) for sql in order["questions"]]
print(json.dumps({"version": ask("SELECT version()").strip(), "ms": ms, "answers": answers}))
