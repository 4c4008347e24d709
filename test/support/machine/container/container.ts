import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { OPTIONS, podman } from './podman.js';

/** Lifetime of a container that its test does not stop. */
const LIFE_SECONDS = 300;
const START_MS = 60_000;
/** Longer than the service takes to stop. */
const STOP_SECONDS = 45;

/** Podman's own messages between the container's lines: it misses systemd. */
const OF_PODMAN = 'time="';

const CONFINED = [
  ...['--read-only', '--read-only-tmpfs=false', '--cap-drop=ALL'],
  '--security-opt=no-new-privileges',
  // The default limits are higher than a confined root may set.
  ...['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'],
];

/**
 * A container on the host network that can write only to its volumes and has no capabilities. It is
 * removed when it ends.
 */
export class Container {
  /** Its output so far, by line. */
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
   * @param volumes paths in the container, besides the volumes of the image
   * @param command default: that of the image
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
      // Compared with undefined, not by class: Node's errors belong to another realm.
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

  /** The output of a command in the container. */
  async exec(...command: string[]): Promise<string> {
    try {
      return await podman(['exec', this.name, ...command]);
    } catch (error) {
      // If the container has ended meanwhile, its own output says why.
      const ended = await Promise.race([this.exited, sleep(2_000, 'not yet' as const)]);
      const said = this.lines.slice(-10).join('\n');
      throw new Error(`${(error as Error).message}\nexit code ${ended}: ${said}`, {
        cause: error,
      });
    }
  }

  /** Sends SIGTERM, then SIGKILL if the container does not end. Returns the exit code. */
  async stop(): Promise<number | null> {
    await podman(['stop', '--ignore', '--time', String(STOP_SECONDS), this.name]);
    return this.exited;
  }
}
