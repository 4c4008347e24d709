import { ConfigError } from './config.js';
import type { Environment } from './environment.js';

/**
 * @param but why no variable of these names may be set
 * @throws ConfigError that names the first one that is
 */
export function refuseAny(
  environment: Environment,
  names: readonly (keyof Environment)[],
  but: string,
): void {
  for (const name of names) {
    if (environment[name] !== undefined) throw new ConfigError(`${name} is set, but ${but}`);
  }
}
