import { amount, type Comparison, type Figure } from './figure.js';

const WIDTH = 980;
const LABEL_WIDTH = 410;
const BAR_WIDTH = 390;
const BAR = 11;
const ROW = 2 * BAR + 10;
const HEADING = 34;
const OURS = '#2f6fb0';
const THEIRS = '#b8bec6';

interface Bars extends Comparison {
  readonly label: string;
}

/** B1, B1s and B9's questions beside their baselines, as an SVG image. */
export function chartOf(figures: readonly Figure[]): string {
  const parts: string[] = [];
  let y = 0;
  const panels = [
    ['Rows a second (longer is faster)', barsOf(figures.filter(({ name }) => /^B1s? /.test(name)))],
    [
      'Milliseconds of a report, merged (shorter is faster)',
      barsOf(figures.find(({ name }) => name.startsWith('B9 merged'))?.parts ?? []),
    ],
  ] as const;
  for (const [title, bars] of panels) {
    const longest = Math.max(...bars.flatMap(({ ours, theirs }) => [ours, theirs]));
    parts.push(text(10, y + 22, title, 'font-weight="bold"'));
    y += HEADING;
    for (const { label, ours, theirs, beside, unit } of bars) {
      parts.push(text(LABEL_WIDTH, y + BAR + 3, label, 'text-anchor="end"'));
      const both = [
        ['service', ours, OURS],
        [beside, theirs, THEIRS],
      ] as const;
      both.forEach(([name, value, colour], at) => {
        const width = (value / longest) * BAR_WIDTH;
        const top = y + at * BAR;
        parts.push(
          `<rect x="${LABEL_WIDTH + 10}" y="${top}" width="${width.toFixed(1)}" height="${BAR - 1}" fill="${colour}"/>`,
          text(LABEL_WIDTH + 16 + width, top + BAR - 2, `${name} ${amount(value, unit)}`),
        );
      });
      y += ROW;
    }
  }
  const box = `width="${WIDTH}" height="${y + 10}" viewBox="0 0 ${WIDTH} ${y + 10}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${box} font-family="sans-serif" font-size="11">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function barsOf(figures: readonly Figure[]): Bars[] {
  return figures.flatMap(({ name, comparison }) =>
    comparison === undefined ? [] : [{ label: name, ...comparison }],
  );
}

function text(x: number, y: number, content: string, more = ''): string {
  const escaped = content.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<text x="${x.toFixed(1)}" y="${y}" ${more}>${escaped}</text>`;
}
