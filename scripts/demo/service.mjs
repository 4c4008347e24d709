/** The demo's own service: the built program, on free ports and with its own data folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const START_MS = 60_000;
/** Nothing else of the environment: it may be that of another service. */
const { PATH, HOME, TMPDIR } = process.env;
const environment = { PATH, HOME, TMPDIR };

/**
 * Starts the service and resolves when it answers. `ports` has its ports; `stop` ends it and
 * returns its exit code.
 */
export async function startService(dataDir) {
  const service = spawn(process.execPath, ['dist/main.js'], {
    cwd: root,
    env: {
      ...environment,
      DATA_DIR: dataDir,
      HTTP_PORT: '0',
      OPS_PORT: '0',
      QUERY_PORT: '0',
      UV_THREADPOOL_SIZE: '16',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(service, 'exit');
  const ports = await Promise.race([
    listening(service.stdout),
    exited.then(([code]) => {
      throw new Error(`the service ended with exit code ${code} before it answered`);
    }),
    sleep(START_MS, undefined, { ref: false }).then(() => {
      throw new Error(`the service has not answered within ${START_MS / 1_000} s`);
    }),
  ]).catch((error) => {
    service.kill('SIGKILL');
    throw error;
  });
  return {
    ports,
    async stop() {
      service.kill('SIGTERM');
      const [code] = await exited;
      return code;
    },
  };
}

async function listening(output) {
  const lines = createInterface({ input: output });
  for await (const line of lines) {
    const entry = JSON.parse(line);
    if (entry.msg !== 'listening') continue;
    // The demo does not use the rest of the log, but has to read it from the pipe.
    output.resume();
    return entry;
  }
  throw new Error('the service said nothing of its ports');
}

/** Runs the command line tool and returns its output. */
export async function customData(dataDir, ...args) {
  const command = spawn(process.execPath, ['bin/custom-data.mjs', ...args], {
    cwd: root,
    env: { ...environment, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  command.stdout.setEncoding('utf8').on('data', (text) => (printed += text));
  const [code] = await once(command, 'close');
  if (code !== 0) throw new Error(`custom-data ${args[0]} ended with exit code ${code}`);
  return printed.trim();
}
