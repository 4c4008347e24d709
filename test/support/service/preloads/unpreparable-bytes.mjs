/**
 * Preloaded into a process (see `preload.ts`), lets a preparing thread throw at a file that holds
 * THROWING_MARKER, as at a fault of a program, and end at one that holds ENDING_MARKER, as at a lack
 * of memory.
 */
import { CsvScanner } from '../../../../dist/csv/csv-scanner.js';

const { THROWING_MARKER, ENDING_MARKER } = process.env;

const { open } = CsvScanner.prototype;
CsvScanner.prototype.open = function (parts) {
  const holds = (marker) => parts.some((part) => Buffer.from(part).includes(marker));
  if (holds(THROWING_MARKER)) throw new RangeError('a fault of the test');
  if (holds(ENDING_MARKER)) process.exit(7);
  open.call(this, parts);
};
