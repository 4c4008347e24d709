// Runs queries over HTTP as Grafana's ClickHouse data source does, with its driver and options.
// Reads a JSON list of queries, prints a JSON list of {columns, rows} or {error}.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

type result struct {
	Columns []string `json:"columns,omitempty"`
	Rows    [][]any  `json:"rows"`
	Error   string   `json:"error,omitempty"`
}

func main() {
	var queries []string
	if err := json.NewDecoder(os.Stdin).Decode(&queries); err != nil {
		panic(err)
	}
	db := clickhouse.OpenDB(&clickhouse.Options{
		Addr:        []string{os.Args[1]},
		Auth:        clickhouse.Auth{Database: "custom_data", Username: "grafana", Password: "x"},
		Compression: &clickhouse.Compression{Method: clickhouse.CompressionGZIP},
		DialTimeout: 10 * time.Second,
		ReadTimeout: 60 * time.Second,
		Protocol:    clickhouse.HTTP,
		Settings:    clickhouse.Settings{},
	})
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	if err := db.PingContext(ctx); err != nil {
		panic(err)
	}
	results := []result{}
	for _, query := range queries {
		results = append(results, ask(ctx, db, query))
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		panic(err)
	}
}

func ask(ctx context.Context, db *sql.DB, query string) result {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return result{Error: err.Error()}
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return result{Error: err.Error()}
	}
	answer := result{Columns: columns, Rows: [][]any{}}
	for rows.Next() {
		row := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return result{Error: err.Error()}
		}
		answer.Rows = append(answer.Rows, row)
	}
	if err := rows.Err(); err != nil {
		return result{Error: err.Error()}
	}
	return answer
}
