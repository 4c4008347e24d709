import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { OPTIONS, podman } from './podman.js';

/** Of a container whose test has ended without stopping it. */
const LIFE_SECONDS = 300;
const START_MS = 60_000;
/** Above what the service takes to stop. */
const STOP_SECONDS = 45;

/** What podman itself says between the container's lines: it misses systemd. */
const OF_PODMAN = 'time="';

const CONFINED = [
  ...['--read-only', '--read-only-tmpfs=false', '--cap-drop=ALL'],
  '--security-opt=no-new-privileges',
  // The defaults are above what a confined root may give.
  ...['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'],
];

/**
 * A container on the machine's own network that may write nothing but its volumes and has no
 * capability. It is gone when it has ended.
 */
export class Container {
  /** What it has printed, by line. */
  readonly lines: string[] = [];
  readonly exited: Promise<number | null>;

  private constructor(
    private readonly name: string,
    args: readonly string[],
  ) {
    const life = ['--rm', '--timeout', String(LIFE_SECONDS)];
    const run = [...OPTIONS, 'run', '--name', name, ...life, '--network=host', ...CONFINED];
    const child = spawn('podman', [...run, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on('line', (line) => {
        if (!line.startsWith(OF_PODMAN)) this.lines.push(line);
      });
    }
    this.exited = once(child, 'close').then(([code]) => code as number | null);
  }

  /**
   * @param volumes paths in the container, beside those that the image names
   * @param command by default the image's
   */
  static run(
    image: string,
    env: Readonly<Record<string, string>>,
    volumes: readonly string[] = [],
    command: readonly string[] = [],
  ): Container {
    const options = [
      ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ...volumes.flatMap((path) => ['--volume', path]),
    ];
    const name = `custom-data-test-${randomUUID()}`;
    return new Container(name, [...options, image, ...command]);
  }

  /** Resolves when the image's health check succeeds. */
  async healthy(): Promise<void> {
    const until = Date.now() + START_MS;
    for (;;) {
      // Not by its class: an error of Node is none of this realm's.
      const failure = await podman(['healthcheck', 'run', this.name]).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure === undefined) return;
      const ended = await Promise.race([this.exited, sleep(100, 'not yet' as const)]);
      if (ended !== 'not yet' || Date.now() > until) {
        const said = this.lines.slice(-10).join('\n');
        throw new Error(`the container is not healthy, exit code ${ended}: ${said}`, {
          cause: failure,
        });
      }
    }
  }

  /** What a command in the container prints. */
  async exec(...command: string[]): Promise<string> {
    try {
      return await podman(['exec', this.name, ...command]);
    } catch (error) {
      // The container may have ended meanwhile: its own words say why.
      const ended = await Promise.race([this.exited, sleep(2_000, 'not yet' as const)]);
      const said = this.lines.slice(-10).join('\n');
      throw new Error(`${(error as Error).message}\nexit code ${ended}: ${said}`, {
        cause: error,
      });
    }
  }

  /** SIGTERM, and SIGKILL to one that does not end; gives the exit code. */
  async stop(): Promise<number | null> {
    await podman(['stop', '--ignore', '--time', String(STOP_SECONDS), this.name]);
    return this.exited;
  }
}
