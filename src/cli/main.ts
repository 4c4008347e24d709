import { run } from './program.js';

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  out: (text) => void process.stdout.write(text),
  hint: (text) => void process.stderr.write(text),
});
