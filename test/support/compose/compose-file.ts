import { fileURLToPath } from 'node:url';

import { parse } from '../documents/kubernetes/build.js';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface HealthCheck {
  readonly command: readonly string[];
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** Failures before this time do not count. */
  readonly startMs: number;
  readonly retries: number;
}

export interface Service {
  readonly name: string;
  readonly image: string;
  /** Path of the Dockerfile, if this service builds its image. */
  readonly dockerfile: string | undefined;
  /** Replaces the image's command, if not empty. */
  readonly command: readonly string[];
  /** What has to be true of other services before this one starts. */
  readonly after: Readonly<Record<string, Condition>>;
  /** Undefined if there is none. */
  readonly check: HealthCheck | undefined;
  readonly networks: readonly string[];
  readonly volumes: readonly string[];
  /** `<address>:<port of the host>:<port in the container>` */
  readonly ports: readonly string[];
  /** Options of `podman run` for all other settings. */
  readonly options: readonly string[];
}

export type Condition = 'service_healthy' | 'service_completed_successfully';

export interface ComposeFile {
  readonly services: readonly Service[];
  /** By name: whether it has no access to the outside. */
  readonly networks: ReadonlyMap<string, boolean>;
  readonly volumes: readonly string[];
}

type Values = Readonly<Record<string, unknown>>;
type Variables = Readonly<Record<string, string>>;

/**
 * Reads the file as `docker compose` does, as far as the project needs it.
 *
 * @param variables those that are set; for others the file has defaults
 * @throws Error for a setting that is not known here
 */
export function readComposeFile(path: string, variables: Variables): ComposeFile {
  const file = filledIn(parse(path), variables) as Readonly<Record<string, Values>>;
  const { name, services, networks, volumes, ...others } = file;
  for (const key of Object.keys(others)) {
    if (!key.startsWith('x-')) throw new Error(`${key} is not understood`);
  }
  if (typeof name !== 'string') throw new Error('the project has no name');
  return {
    services: Object.entries(services!).map(([service, of]) => serviceOf(service, of as Values)),
    networks: new Map(Object.entries(networks!).map(([key, of]) => [key, isInternal(key, of)])),
    volumes: Object.entries(volumes!).map(([key, of]) => {
      if (of !== null) throw new Error(`volumes.${key} has settings that are not understood`);
      return key;
    }),
  };
}

function isInternal(name: string, settings: unknown): boolean {
  const { internal = false, ...others } = (settings ?? {}) as Values;
  refuseAll(`networks.${name}`, others);
  return internal === true;
}

/** The value with `${NAME:-default}` replaced by the variable, or by the default. */
function filledIn(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') {
    return value.replace(
      /\$\{(\w+):-([^}]*)\}/g,
      (_, name: string, other: string) => variables[name] ?? other,
    );
  }
  if (Array.isArray(value)) return value.map((each) => filledIn(each, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, of]) => [key, filledIn(of, variables)]),
  );
}

function serviceOf(name: string, settings: Values): Service {
  const { image, build, pull_policy, command, depends_on, healthcheck, ...others } = settings;
  const { networks, volumes, ports, ...rest } = others;
  return {
    name,
    image: image as string,
    dockerfile: dockerfileOf(name, build, pull_policy),
    command: (command ?? []) as string[],
    after: conditionsOf(name, depends_on),
    check: checkOf(name, healthcheck),
    networks: (networks ?? []) as string[],
    volumes: (volumes ?? []) as string[],
    ports: (ports ?? []) as string[],
    options: Object.entries(rest).flatMap(([key, value]) => {
      const option = OPTIONS[key];
      if (option === undefined) throw new Error(`services.${name}.${key} is not understood`);
      return option(value as never);
    }),
  };
}

function dockerfileOf(name: string, build: unknown, policy: unknown): string | undefined {
  // Compose pulls an image that nobody builds, and builds one that has this policy.
  const expected = build === undefined ? [undefined, 'never'] : ['build'];
  if (!expected.includes(policy as string)) {
    throw new Error(`services.${name}.pull_policy ${String(policy)} is not understood`);
  }
  if (build === undefined) return undefined;
  const { context, dockerfile, ...others } = build as Values;
  refuseAll(`services.${name}.build`, others);
  if (context !== '.') throw new Error(`services.${name}.build.context is not understood`);
  return dockerfile as string;
}

function conditionsOf(name: string, dependencies: unknown): Record<string, Condition> {
  const entries = Object.entries((dependencies ?? {}) as Record<string, Values>);
  return Object.fromEntries(
    entries.map(([other, { condition, ...others }]) => {
      refuseAll(`services.${name}.depends_on.${other}`, others);
      return [other, condition as Condition];
    }),
  );
}

function checkOf(name: string, settings: unknown): HealthCheck | undefined {
  const {
    test,
    interval,
    timeout,
    retries,
    start_period = '0s',
    disable = false,
    ...others
  } = (settings ?? {}) as Values;
  refuseAll(`services.${name}.healthcheck`, others);
  if (disable === true) return undefined;
  const [kind, ...command] = (test ?? ['none']) as [string, ...string[]];
  if (kind !== 'CMD') throw new Error(`services.${name}.healthcheck.test ${kind} is unknown`);
  return {
    command,
    intervalMs: 1_000 * secondsOf(interval),
    timeoutMs: 1_000 * secondsOf(timeout),
    startMs: 1_000 * secondsOf(start_period),
    retries: retries as number,
  };
}

/** How a setting is said to podman. */
const OPTIONS: Readonly<Record<string, (value: never) => readonly string[]>> = {
  cap_drop: (each: readonly string[]) => each.map((capability) => `--cap-drop=${capability}`),
  environment: (values: Values) =>
    Object.entries(values).map(([name, value]) => `--env=${name}=${String(value)}`),
  mem_limit: (limit: string) => [`--memory=${limit}`],
  read_only: (is: boolean) => [`--read-only=${is}`, '--read-only-tmpfs=false'],
  restart: (policy: string) => [`--restart=${policy}`],
  security_opt: (each: readonly string[]) =>
    each.map((option) => `--security-opt=${option.replace(/:true$/, '')}`),
  stop_grace_period: (time: string) => [`--stop-timeout=${secondsOf(time)}`],
  tmpfs: (each: readonly string[]) => each.map((path) => `--tmpfs=${path}`),
  ulimits: (limits: Values) =>
    Object.entries(limits).map(([name, limit]) => {
      if (!Number.isInteger(limit)) throw new Error(`ulimits.${name} is not understood`);
      return `--ulimit=${name}=${String(limit)}:${String(limit)}`;
    }),
};

function secondsOf(time: unknown): number {
  const [, seconds] = /^(\d+)s$/.exec(String(time)) ?? [];
  if (seconds === undefined) throw new Error(`${String(time)} is not a time in seconds`);
  return Number(seconds);
}

function refuseAll(where: string, settings: Values): void {
  const [key] = Object.keys(settings);
  if (key !== undefined) throw new Error(`${where}.${key} is not understood`);
}
