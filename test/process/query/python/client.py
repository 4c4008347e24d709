"""Asks the query interface as an analyst's program does, and prints what it got as JSON."""

import json
import sys

import clickhouse_connect
from clickhouse_connect import common


def failure(act):
    try:
        act()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing was refused"


client = clickhouse_connect.get_client(host="127.0.0.1", port=int(sys.argv[1]), database="custom_data")
by_channel = client.query(
    "SELECT channel, currency, sum(clicks) AS clicks, round(sum(cost), 2) AS total FROM cost_summary"
    " WHERE account = {account:String} GROUP BY channel, currency ORDER BY channel, currency",
    parameters={"account": "acme"},
)
request = client.query("SELECT * FROM upload_requests WHERE status = 'failed'").first_item

text = "it's \\ tab\t Straße ' OR 1=1 --"
streamed = 0
with client.query_row_block_stream("SELECT number, toString(number) FROM numbers(300000)") as blocks:
    for block in blocks:
        streamed += len(block)

# Sends settings that the interface accepts although system.settings calls them read-only.
common.set_setting("invalid_setting_action", "send")
limited = failure(lambda: client.query("SELECT * FROM cost_rows", settings={"max_result_rows": 1}))

print(
    json.dumps(
        {
            "ping": client.ping(),
            "types": [type.name for type in by_channel.column_types],
            "rows": by_channel.result_rows,
            "request": {name: str(value) for name, value in request.items()},
            "parameter": client.query("SELECT {t:String}", parameters={"t": text}).first_row[0] == text,
            "streamed": streamed,
            "csv": client.raw_query("SELECT name FROM metrics ORDER BY name", fmt="CSVWithNames").decode(),
            "limited": limited,
            "refused": [
                failure(lambda: client.command("DROP TABLE cost")),
                failure(lambda: client.insert("cost", [["acme"]], column_names=["account"])),
                failure(lambda: client.query("SELECT * FROM file('x', 'CSV', 'a String')")),
                failure(lambda: client.query("SELECT nothing FROM metrics")),
            ],
        }
    )
)
