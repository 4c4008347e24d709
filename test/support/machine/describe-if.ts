import { describe, it } from '@jest/globals';

/**
 * `describe` for tests with special requirements. Where those are not met, the tests are skipped
 * with a message, or fail in CI.
 *
 * @param isPossible a function is asked when there are tests to describe
 */
export function describeIf(
  isPossible: boolean | (() => boolean),
  reason: string,
): (name: string, tests: () => void) => void {
  return (name, tests) => {
    if (typeof isPossible === 'boolean' ? isPossible : isPossible()) {
      describe(name, tests);
      return;
    }
    describe(name, () => {
      if (process.env['CI'] === undefined || process.env['CI'] === '') {
        process.stderr.write(`\nSKIPPED: ${name}: ${reason}\n`);
        it.skip(reason, () => undefined);
      } else {
        it('has what it needs', () => {
          throw new Error(reason);
        });
      }
    });
  };
}
