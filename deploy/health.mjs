/** Asks the process in this container for its health, `live` or `ready`, by its exit code. */
const [check = 'live'] = process.argv.slice(2);
const port = process.env.OPS_PORT || '9464';

try {
  const answer = await fetch(`http://127.0.0.1:${port}/health/${check}`);
  if (!answer.ok) console.error(await answer.text());
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
