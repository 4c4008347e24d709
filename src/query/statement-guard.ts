import type { Session } from 'chdb';

import { text } from '../warehouse/sql.js';
import { EngineException } from './exception.js';
import type { EngineNames } from './functions/index.js';
import { refuseTokens } from './statement-tokens.js';
import type { Token } from './sql-tokens.js';

/** A single statement that only reads the warehouse. */
export interface Statement {
  /** The statement as the engine writes it, without its FORMAT. */
  readonly text: string;
  /** The format that the statement names itself. */
  readonly format: string | undefined;
}

/**
 * What read-only access leaves open is closed here (docs of the engine call `readonly` a limit on
 * settings and writes, not on what a query may reach):
 *
 * 1. The engine parses the text as data and writes it back: one statement, no comments. The text
 *    written back is what is checked and what runs.
 * 2. The engine's own lexer cuts it into words. Functions that are not on the list, SETTINGS (one in
 *    a subquery lifts `readonly`), INTO OUTFILE and the database `default` (the file system as tables)
 *    are refused wherever they stand; inside literals they are not words.
 * 3. The engine's syntax tree shows the kind of statement. It leaves out what stands in APPLY and
 *    SHOW … WHERE, so what a query reaches is not looked for there.
 *
 * @param session one without settings of the client, which would change these answers too
 * @throws EngineException for a syntax error, several statements, or anything refused
 */
export async function guard(
  session: Session,
  query: string,
  parameters: ReadonlyMap<string, string>,
  engine: EngineNames,
): Promise<Statement> {
  const written = await writtenBack(session, query);
  const { head, format } = splitFormat(written);

  const { tokens, probe } = await lexed(session, head);
  refuseTokens(tokens, parameters, engine);
  if (probe !== head + PROBE) throw readOnly('the clauses after the statement');

  refuseTree((await session.queryAsync(`EXPLAIN AST ${head}`, { format: 'TSVRaw' })).text());
  return { text: head, format };
}

async function writtenBack(session: Session, query: string): Promise<string> {
  const call = 'SELECT formatQuerySingleLine(';
  try {
    return (await rowOf<[string]>(session, `${call}${text(query)})`))[0];
  } catch (error) {
    // The engine adds a scope: it is this call, not the client's query.
    const { code, type, detail } = EngineException.from(error);
    const scope = detail.indexOf(`: In scope ${call}`);
    throw new EngineException(code, type, scope < 0 ? detail : `${detail.slice(0, scope)}.`);
  }
}

function splitFormat(written: string): { head: string; format: string | undefined } {
  const found = /^(.*) FORMAT `?(\w+)`?$/s.exec(written);
  return { head: found?.[1] ?? written, format: found?.[2] };
}

/** The clauses with which a statement will run; one that takes them has none of its own. */
const PROBE = " INTO OUTFILE 'x' FORMAT `Null`";

async function lexed(
  session: Session,
  head: string,
): Promise<{ tokens: readonly Token[]; probe: string | null }> {
  const [tokens, probe] = await rowOf<[Token[], string | null]>(
    session,
    `WITH ${text(head)} AS q SELECT
       arrayMap(t -> (toString(t.type), substring(q, t.begin + 1, t.end - t.begin)),
         arrayFilter(t -> t.type NOT IN ('Whitespace', 'Comment'), tokenizeQuery(q))),
       formatQuerySingleLineOrNull(q || ${text(PROBE)})`,
  );
  return { tokens, probe };
}

async function rowOf<Row>(session: Session, sql: string): Promise<Row> {
  return (await session.queryAsync(sql, { format: 'JSONCompactEachRow' })).json<Row>();
}

const READING =
  /^(?:SelectWithUnionQuery|SelectIntersectExceptQuery|Explain|DescribeQuery|Exists\w*Query|Show\w*)\b/;

function refuseTree(tree: string): void {
  const lines = tree.split('\n');
  if (!READING.test(lines[0]!)) throw readOnly('a statement of this kind');
  for (const line of lines.slice(1)) {
    // The first level below EXPLAIN holds options of EXPLAIN itself, which are no settings.
    const optionOfExplain = lines[0]!.startsWith('Explain') && line === ' Set';
    if (line.trim().split(' ', 1)[0] === 'Set' && !optionOfExplain) throw readOnly('SETTINGS');
  }
}

function readOnly(what: string): EngineException {
  return EngineException.of('READONLY', `Cannot execute query in readonly mode: ${what}.`);
}
