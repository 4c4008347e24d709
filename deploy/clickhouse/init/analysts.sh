#!/bin/sh
# The image of ClickHouse runs this folder whenever the server starts. CLICKHOUSE_DB is the database
# of the service, and GRAFANA_CLICKHOUSE_PASSWORD is for the user of Grafana's data source. All viewers
# share that user, and a dashboard sends a query for each of its panels: it may run more at once than
# the profile of analysts allows.
set -eu

client() {
  clickhouse-client --host 127.0.0.1 --user "$CLICKHOUSE_USER" --password "$CLICKHOUSE_PASSWORD" \
    --database "$CLICKHOUSE_DB" "$@"
}

for file in /analysts/*.sql; do
  client <"$file"
done

hash=$(printf %s "$GRAFANA_CLICKHOUSE_PASSWORD" | sha256sum | cut -d ' ' -f 1)
client --query "
  CREATE USER OR REPLACE grafana IDENTIFIED WITH sha256_hash BY '$hash'
    SETTINGS max_concurrent_queries_for_user = 32;
  GRANT analyst_of_all TO grafana"
