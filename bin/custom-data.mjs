#!/usr/bin/env node
import { ensureBuilt } from '../scripts/ensure-built.mjs';

try {
  await ensureBuilt();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(1);
}
await import('../dist/clients/cli/main.js');
