/** The few pieces of SQL that are put together as text. Values of requests are never among them. */

/** The name of a database, table or column, quoted. */
export function identifier(name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new Error(`not an identifier: ${name}`);
  return `\`${name}\``;
}

/** A string literal. */
export function text(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/**
 * The statements of a script, without the semicolons between them. A semicolon inside a literal,
 * a quoted name or a comment separates nothing; comments on their own are no statement.
 */
export function statementsOf(script: string): string[] {
  const statements: string[] = [];
  let statement = '';
  for (const [token] of script.matchAll(TOKEN)) {
    if (token === ';') {
      statements.push(statement.trim());
      statement = '';
    } else if (!token.startsWith('--') && !token.startsWith('/*')) {
      statement += token;
    }
  }
  return [...statements, statement.trim()].filter((sql) => sql !== '');
}

const TOKEN =
  /'(?:[^'\\]|\\.|'')*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\]|\\.)*"|--[^\n]*|\/\*[\s\S]*?\*\/|[\s\S]/g;
