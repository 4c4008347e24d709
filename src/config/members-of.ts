/** The members of a list in a variable: separated by commas, without whitespace around them. */
export function membersOf(list: string): string[] {
  return list
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');
}
