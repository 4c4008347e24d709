import {
  interpolate,
  openedOn,
  readReport,
} from '../../test/support/documents/report-dashboard.js';
import { LARGEST, LAST_DAY } from '../load/report-files.js';

export const DATABASE = 'custom_data';

/** A question of an analyst, to the largest account. */
export interface Question {
  readonly name: string;
  readonly family: 'cost' | 'self_serve';
  /** The same question to the view that the documents name, and to the flat table. */
  readonly view: string;
  readonly flat: string;
  /** The same through the report, where the documents name the summary: an equal answer. */
  readonly report?: string;
}

const DAY_MS = 86_400_000;
const dayText = (time: number): string => new Date(time).toISOString().slice(0, 10);
/** Cents are whole numbers, so that equal answers are equal texts. */
const COST = 'toInt64(round(sum(cost) * 100)) AS cents';
const NUMBERS = `sum(impressions) AS impressions, sum(clicks) AS clicks, ${COST}`;

interface Asked {
  readonly columns: string;
  readonly values: string;
  readonly where?: string;
  readonly tail?: string;
}

function select(table: string, { columns, values, where, tail = '' }: Asked): string {
  const selected = [columns, values].filter((each) => each !== '').join(', ');
  const conditions = [`account = '${LARGEST}'`, ...(where === undefined ? [] : [where])];
  const order = tail === '' && columns !== '' ? `ORDER BY ${columns}` : tail;
  const group = columns === '' ? '' : `GROUP BY ${columns}`;
  return `SELECT ${selected} FROM ${table} WHERE ${conditions.join(' AND ')} ${group} ${order}`;
}

function cost(name: string, asked: Asked, isSummary = false): Question {
  return question(name, 'cost', asked, isSummary);
}

function selfServe(name: string, asked: Omit<Asked, 'values'>, isSummary = false): Question {
  const all = { ...asked, values: 'toInt64(sum(event_value)) AS value' };
  return question(`self-serve: ${name}`, 'self_serve', all, isSummary);
}

function question(
  name: string,
  family: Question['family'],
  asked: Asked,
  isSummary: boolean,
): Question {
  const report = select(`${family}_report`, asked);
  const view = isSummary ? select(`${family}_summary`, asked) : report;
  return {
    name,
    family,
    view,
    flat: select(`flat_${family}`, asked),
    ...(isSummary && { report }),
  };
}

const TWENTY = `ORDER BY cents DESC, campaign LIMIT 20`;

function queries(lastDay: number): Question[] {
  const month = `date BETWEEN '${dayText(lastDay - 30 * DAY_MS)}' AND '${dayText(lastDay)}'`;
  return [
    cost(
      'a month by day, channel and currency',
      { columns: 'date, channel, currency', values: NUMBERS, where: month },
      true,
    ),
    cost('a month by ad_group', { columns: 'ad_group, currency', values: NUMBERS, where: month }),
    cost('a month by country', { columns: 'country, currency', values: NUMBERS, where: month }),
    cost('a month by ad_creative and os_name', {
      columns: 'ad_creative, os_name, currency',
      values: NUMBERS,
      where: month,
    }),
    cost('a year by country', { columns: 'country, currency', values: NUMBERS }),
    cost("a year's totals", { columns: 'currency', values: NUMBERS }, true),
    cost('one campaign by day and ad_group', {
      columns: 'date, ad_group',
      values: NUMBERS,
      where: "campaign = 'Spring sale 0'",
    }),
    cost(
      'the twenty dearest campaigns of a month',
      { columns: 'campaign, currency', values: COST, where: month, tail: TWENTY },
      true,
    ),
    selfServe('a month by day and metric', { columns: 'date, event_category', where: month }, true),
    selfServe('a month by country', { columns: 'country', where: month }),
    selfServe('a month by campaign', { columns: 'campaign', where: month }),
    selfServe(
      'one metric by week',
      { columns: 'toMonday(date)', where: "event_category = 'metric0'" },
      true,
    ),
    selfServe('one channel by day', { columns: 'date', where: "channel = 'radio'" }, true),
  ];
}

/** The panels of the dashboards, as they open on a month of the largest account. */
function panels(lastDay: number): Question[] {
  const values = openedOn(LARGEST, lastDay - 30 * DAY_MS, lastDay);
  return ['actuals', 'trends'].flatMap((name) =>
    readReport(name).panels.map(({ title, targets: [{ rawSql }] }) => {
      const view = interpolate(rawSql, values);
      const flat = view.replace(/\b(cost|self_serve)_(report|summary)\b/g, 'flat_$1');
      if (flat === view || /_rows\b/.test(view)) throw new Error(`${title} asks no fast view`);
      return {
        name: `panel, ${name}: ${titleOf(title)}`,
        family: view.includes('cost_') ? ('cost' as const) : ('self_serve' as const),
        view,
        flat,
      };
    }),
  );
}

function titleOf(panel: string): string {
  return panel.replace('${metric:text}', 'a metric').replace('${groupBy}', 'channel');
}

/** Names the database in each: the engine's own sessions have none. */
function qualified(sql: string): string {
  return sql.replace(/\b(?:flat_\w+|(?:cost|self_serve)_(?:report|summary))\b/g, `${DATABASE}.$&`);
}

/** The questions about the time up to a day, which is midnight in UTC. */
export function questionsUpTo(lastDay: number): Question[] {
  return [...queries(lastDay), ...panels(lastDay)].map((question) => ({
    ...question,
    view: qualified(question.view),
    flat: qualified(question.flat),
    ...(question.report && { report: qualified(question.report) }),
  }));
}

export const QUESTIONS: readonly Question[] = questionsUpTo(LAST_DAY);
