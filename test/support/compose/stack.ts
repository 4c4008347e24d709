import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { freePorts } from '../machine/free-ports.js';
import { podman } from '../machine/container/podman.js';
import { type ComposeFile, type Condition, ROOT, type Service } from './compose-file.js';
import { type Confinement, confinementOf, inspect, outputOf } from './container.js';
import { healthOptions, untilHealthy } from './health.js';
import { OURS, removeLeftovers } from './leftovers.js';
import { type StandIn, standInFor } from './stand-ins.js';

const RESTART_MS = 60_000;
const STOP_MS = 90_000;
const POLL_MS = 250;
/** Podman's own limit is higher than a confined root may set. */
const PROCESSES = 16_384;

/** The services of a compose file as containers, each configured as the file says. */
export class Stack {
  private readonly prefix = `custom-data-test-${randomUUID().slice(0, 8)}-`;
  private readonly started = new Map<string, Promise<void>>();
  private readonly becameHealthy = new Map<string, Promise<void>>();
  private readonly hostPorts = new Map<string, number>();

  private constructor(
    private readonly file: ComposeFile,
    private readonly images: ReadonlyMap<string, StandIn>,
  ) {}

  /**
   * Creates networks and volumes. Removes what tests have left behind whose processes have ended.
   *
   * @param built image of the services that the project's Dockerfile builds
   * @param base image of the distribution, with Node
   */
  static async create(file: ComposeFile, built: string, base: string): Promise<Stack> {
    await removeLeftovers();
    const builders = new Set(
      file.services.filter((each) => each.dockerfile !== undefined).map(({ image }) => image),
    );
    const images = new Map<string, StandIn>();
    for (const { name, image } of file.services) {
      const stand = builders.has(image)
        ? { image: built, options: [] }
        : await standInFor(image, base);
      if (stand !== undefined) images.set(name, stand);
    }
    const stack = new Stack(file, images);
    for (const [name, isInternal] of file.networks) {
      const options = [OURS, ...(isInternal ? ['--internal'] : [])];
      await podman(['network', 'create', ...options, stack.prefix + name]);
    }
    for (const name of file.volumes) {
      await podman(['volume', 'create', OURS, stack.prefix + name]);
    }
    return stack;
  }

  /** Names of the services that run here, in the order of the file. */
  get services(): readonly string[] {
    return [...this.images.keys()];
  }

  /** Resolves when every service is healthy, or has ended with success where that is asked for. */
  async up(): Promise<void> {
    const starts = await Promise.allSettled(this.services.map((name) => this.start(name)));
    for (const each of starts) if (each.status === 'rejected') throw each.reason;
    await Promise.all(
      this.services
        .filter((name) => this.of(name).check !== undefined)
        .map((name) => this.healthy(name)),
    );
  }

  /** The address on this machine of a port that the service publishes. */
  url(service: string, port: number): string {
    return `http://127.0.0.1:${this.hostPorts.get(`${service}:${port}`)!}`;
  }

  /** The output of a command in the service's container. */
  exec(service: string, ...command: readonly string[]): Promise<string> {
    return podman(['exec', this.container(service), ...command]);
  }

  /** Everything that the service has printed. */
  output(service: string): string {
    return outputOf(this.container(service));
  }

  /**
   * Resolves when every service with a health check is still healthy, by its own retries: after
   * containers were started again, podman's name server answered the first questions after 10 s.
   */
  async stillHealthy(): Promise<void> {
    for (const { name, check } of this.file.services) {
      if (check === undefined || !this.images.has(name)) continue;
      this.becameHealthy.delete(name);
      await this.healthy(name);
    }
  }

  /** What the service may do, or might before it ended, as the container runtime was told. */
  confinement(service: string): Promise<Confinement> {
    return confinementOf(this.container(service));
  }

  /** How often the service has been started again. */
  async restarts(service: string): Promise<number> {
    return Number(await this.inspect(service, '{{.RestartCount}}'));
  }

  /** Kills the service's processes. Resolves when the container runs again and is healthy. */
  async kill(service: string): Promise<void> {
    const before = await this.pid(service);
    if (before === 0) throw new Error(`${service} does not run`);
    process.kill(before, 'SIGKILL');
    const end = Date.now() + RESTART_MS;
    for (let now = before; now === before || now === 0; now = await this.pid(service)) {
      if (Date.now() > end) throw new Error(`${service} does not start again`);
      await sleep(POLL_MS);
    }
    this.becameHealthy.delete(service);
    await this.healthy(service);
  }

  /** Stops a service as `docker compose down` does. Returns the exit code. */
  async stop(service: string): Promise<number> {
    await podman(['stop', this.container(service)], STOP_MS);
    return Number(await this.inspect(service, '{{.State.ExitCode}}'));
  }

  private start(name: string): Promise<void> {
    return once(this.started, name, async () => {
      const service = this.of(name);
      await Promise.all(
        Object.entries(service.after).map(async ([other, condition]) => {
          await this.start(other);
          await this.meets(other, condition);
        }),
      );
      await this.run(service);
    });
  }

  private async meets(name: string, condition: Condition): Promise<void> {
    switch (condition) {
      case 'service_healthy':
        return this.healthy(name);
      case 'service_completed_successfully': {
        const code = (await podman(['wait', this.container(name)], STOP_MS)).trim();
        if (code !== '0') throw new Error(`${name} ended with ${code}: ${this.output(name)}`);
        return;
      }
      default:
        throw new Error(`depends_on: the condition ${String(condition)} is not understood`);
    }
  }

  private async run(service: Service): Promise<void> {
    const { image, options } = this.images.get(service.name)!;
    const { check, networks, volumes, ports, command } = service;
    const published: string[] = [];
    for (const each of ports) {
      const [address, , inside] = each.split(':');
      // Another port of this machine: that of the file may be in use.
      const [port] = await freePorts(1);
      this.hostPorts.set(`${service.name}:${inside!}`, port!);
      published.push(`--publish=${address!}:${port!}:${inside!}`);
    }
    await podman([
      ...['run', '--detach', '--log-driver=k8s-file', '--name', this.container(service.name)],
      OURS,
      ...healthOptions(check),
      ...networks.map((name) => `--network=${this.prefix}${name}:alias=${service.name}`),
      ...volumes.map((each) => `--volume=${this.source(each)}`),
      ...published,
      ...withinLimits(service.options),
      ...options,
      image,
      ...command,
    ]);
  }

  /** `<volume or path>:<path in the container>[:ro]` as podman takes it. */
  private source(volume: string): string {
    if (volume.startsWith('./')) return join(ROOT, volume);
    if (this.file.volumes.includes(volume.split(':')[0]!)) return this.prefix + volume;
    throw new Error(`the volume ${volume} is not declared`);
  }

  private healthy(name: string): Promise<void> {
    return once(this.becameHealthy, name, () => untilHealthy(this.of(name), this.container(name)));
  }

  private async pid(service: string): Promise<number> {
    return Number(await this.inspect(service, '{{.State.Pid}}'));
  }

  private inspect(service: string, format: string): Promise<string> {
    return inspect(this.container(service), format);
  }

  private container(service: string): string {
    return this.prefix + service;
  }

  private of(name: string): Service {
    return this.file.services.find((service) => service.name === name)!;
  }
}

/** Runs `work` once for a name. */
function once(
  done: Map<string, Promise<void>>,
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  const before = done.get(name);
  if (before !== undefined) return before;
  const now = work();
  done.set(name, now);
  return now;
}

/** Limits are those of the file, but no higher than this machine allows. */
function withinLimits(options: readonly string[]): readonly string[] {
  const [, files] = /^Max open files +\S+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))!;
  const limits = new Map([
    ['nofile', Number(files)],
    ['nproc', PROCESSES],
  ]);
  const isLimit = (option: string): boolean => option.startsWith('--ulimit');
  for (const option of options.filter(isLimit)) {
    const [, name, limit] = /^--ulimit=(\w+)=(\d+):\2$/.exec(option) ?? [];
    const most = name === undefined ? undefined : limits.get(name);
    if (most === undefined) throw new Error(`the option ${option} is not understood`);
    limits.set(name!, Math.min(most, Number(limit)));
  }
  return [
    ...options.filter((option) => !isLimit(option)),
    ...[...limits].map(([name, limit]) => `--ulimit=${name}=${limit}:${limit}`),
  ];
}
