/**
 * Prints a sample file with its dates moved by whole weeks, so that the samples' last week becomes
 * the last whole week before today (UTC): self-serve metrics may be 92 days old at the most.
 *
 *   node docs/samples/recent.mjs docs/samples/self-serve.csv
 */
import { readFileSync } from 'node:fs';

/** The Sunday that ends the samples' last week. */
const LAST_SUNDAY = Date.parse('2026-03-08');
const DAY = 86_400_000;

const today = Math.floor(Date.now() / DAY) * DAY;
const shift = Math.floor((today - DAY - LAST_SUNDAY) / (7 * DAY)) * 7 * DAY;
const recent = (date) => new Date(Date.parse(date) + shift).toISOString().slice(0, 10);

const csv = readFileSync(process.argv[2], 'utf8');
process.stdout.write(csv.replace(/^\d{4}-\d{2}-\d{2}/gm, recent));
