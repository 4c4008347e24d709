/** Names by what they are for, several in one word with braces: `to{Date,Time}{,OrNull}`. */
export type FunctionGroups = Readonly<Record<string, string>>;

/** All names of all groups, in lower case. */
export function namesOf(groups: FunctionGroups): Set<string> {
  const words = Object.values(groups).flatMap((text) => text.split(/\s+/));
  return new Set(words.filter((word) => word !== '').flatMap(expanded));
}

function expanded(word: string): string[] {
  const found = /^([^{]*)\{([^}]*)\}(.*)$/.exec(word);
  if (found === null) return [word.toLowerCase()];
  const [, before, choices, after] = found;
  return choices!.split(',').flatMap((choice) => expanded(before! + choice + after!));
}
