import type { EngineNames } from './functions/index.js';
import type { ReadOnlySessions } from './sessions.js';

/** What does not change while the engine runs. */
export interface EngineFacts extends EngineNames {
  readonly version: string;
  readonly timezone: string;
  readonly displayName: string;
  /** Names of all settings. */
  readonly settings: ReadonlySet<string>;
}

const FACTS = `
  SELECT version() AS version, timezone() AS timezone, displayName() AS displayName,
    (SELECT groupArray(name) FROM system.settings) AS settings,
    (SELECT groupArray(lower(name)) FROM system.functions) AS functions,
    (SELECT groupArray(lower(name)) FROM system.table_functions) AS tableFunctions`;

export async function readEngineFacts(sessions: ReadOnlySessions): Promise<EngineFacts> {
  const scope = { database: 'system', parameters: new Map<string, string>(), settings: [] };
  const row = await sessions.use(scope, async ({ engine }) =>
    (await engine.queryAsync(FACTS, { format: 'JSONEachRow' })).json<
      Record<'version' | 'timezone' | 'displayName', string> &
        Record<'settings' | 'functions' | 'tableFunctions', string[]>
    >(),
  );
  return {
    ...row,
    settings: new Set(row.settings),
    functions: new Set(row.functions),
    tableFunctions: new Set(row.tableFunctions),
  };
}
