import TestSequencer from '@jest/test-sequencer';

/** Their files wait for minutes, for processes that come and go. */
const LONG = ['test/chaos/', 'test/e2e/', 'test/kafka/'];

/** Long test files before the others: nobody waits at the end for one that began late. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const place = ({ path }) => {
      const folder = LONG.findIndex((name) => path.includes(name));
      return folder === -1 ? LONG.length : folder;
    };
    return super.sort(tests).toSorted((a, b) => place(a) - place(b));
  }
}
