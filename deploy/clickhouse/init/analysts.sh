#!/bin/sh
# The user of Grafana's data source, with the password in GRAFANA_CLICKHOUSE_PASSWORD. The image of
# ClickHouse runs this folder when it starts for the first time.
set -eu

hash=$(printf %s "$GRAFANA_CLICKHOUSE_PASSWORD" | sha256sum | cut -d ' ' -f 1)

clickhouse-client --host 127.0.0.1 --user "$CLICKHOUSE_USER" --password "$CLICKHOUSE_PASSWORD" --query "
  CREATE USER IF NOT EXISTS grafana IDENTIFIED WITH sha256_hash BY '$hash';
  GRANT analyst_of_all TO grafana"
