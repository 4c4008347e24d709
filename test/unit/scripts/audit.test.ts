import { expect, test } from '@jest/globals';

interface Exception {
  readonly advisory: string;
  readonly until: string;
}
interface Functions {
  readonly verdictOn: (
    answer: unknown,
    exceptions: readonly Exception[],
    today: string,
  ) => { readonly isBad: boolean; readonly lines: readonly string[] };
}

const program = new URL('../../../scripts/audit/verdict.mjs', import.meta.url).href;
const { verdictOn } = (await import(program)) as Functions;

const weakness = (severity: string, advisory: string) => ({
  name: 'thing',
  severity,
  title: 'It breaks',
  url: `https://example.org/advisories/${advisory}`,
});
const answer = (...via: readonly unknown[]) => ({ vulnerabilities: { thing: { via } } });

test.each([
  ['low', false],
  ['moderate', false],
  ['high', true],
  ['critical', true],
])('a weakness that is %s: %p', (severity, isBad) => {
  expect(verdictOn(answer(weakness(severity, 'A-1')), [], '2026-11-25')).toEqual({
    isBad,
    lines: [`${severity}: thing: It breaks (A-1)`],
  });
});

test('an exception counts until its day, for its advisory', () => {
  const found = answer(weakness('high', 'A-1'), 'thing', weakness('high', 'A-1'));
  const exceptions = [{ advisory: 'A-1', until: '2026-12-01' }];
  expect(verdictOn(found, exceptions, '2026-12-01')).toEqual({
    isBad: false,
    lines: ['high: thing: It breaks (A-1), accepted until 2026-12-01'],
  });
  expect(verdictOn(found, exceptions, '2026-12-02').isBad).toBe(true);
  expect(verdictOn(answer(weakness('high', 'A-2')), exceptions, '2026-12-01').isBad).toBe(true);
});

test('a registry without audits is said, and is no failure', () => {
  expect(verdictOn({ message: '405 Method Not Allowed' }, [], '2026-11-25')).toEqual({
    isBad: false,
    lines: ['the registry does not answer an audit: 405 Method Not Allowed'],
  });
  expect(verdictOn({ vulnerabilities: {} }, [], '2026-11-25').lines).toEqual(['no known weakness']);
});
