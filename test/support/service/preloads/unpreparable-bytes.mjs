/**
 * Preload (see `preload.ts`): a preparing thread throws at a file with THROWING_MARKER, as with a
 * bug, and exits at a file with ENDING_MARKER, as with a lack of memory.
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
