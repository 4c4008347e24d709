/** A token of the engine's lexer: its type and its text. */
export type Token = readonly [type: string, text: string];

/** The name that a token is; undefined: it is not a name. */
export function nameOf(token: Token | undefined): string | undefined {
  if (token?.[0] === 'BareWord') return token[1];
  return token?.[0] === 'QuotedIdentifier' ? token[1].slice(1, -1) : undefined;
}

/** Whether a token is this keyword, which the engine writes in capitals. */
export function isWord(token: Token | undefined, word: string): boolean {
  return token?.[0] === 'BareWord' && token[1] === word;
}

/**
 * Replaces `{name:Identifier}` with the name bound to it, and any other `{name:Type}` with one
 * token.
 *
 * @param values of the parameters; the engine takes one for an identifier as it is
 */
export function withParameters(
  tokens: readonly Token[],
  values: ReadonlyMap<string, string>,
): Token[] {
  const filled: Token[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]!;
    if (token[0] !== 'OpeningCurlyBrace') {
      filled.push(token);
      continue;
    }
    let end = index + 1;
    while (end < tokens.length && tokens[end]![0] !== 'ClosingCurlyBrace') end++;
    const [name, , ...type] = tokens.slice(index + 1, end).map(([, text]) => text);
    const value = type.join('') === 'Identifier' ? values.get(name!) : undefined;
    filled.push(value === undefined ? ['Parameter', ''] : ['QuotedIdentifier', `\`${value}\``]);
    index = end;
  }
  return filled;
}
