import { type Figure, type Goal, ratioFigure, summaryFigure } from '../report/figure.js';
import { type Question, QUESTIONS } from './questions.js';

/** Below it, times are alike for a person. */
const SHORTEST_MS = 10;

/** By question, milliseconds. */
export type Times = ReadonlyMap<Question, number>;

/** The ratio of each question that was asked, and a summary of them. */
export function compared(
  name: string,
  goal: Goal | undefined,
  ours: Times,
  beside: string,
  theirs: Times,
): Figure {
  const asked = QUESTIONS.filter((question) => ours.has(question));
  return summaryFigure(
    name,
    asked.map((question) => {
      const figure = ratioFigure({
        name: question.name,
        ...(goal && { goal }),
        unit: 'ms',
        ours: [Math.max(SHORTEST_MS, ours.get(question)!)],
        theirs: [Math.max(SHORTEST_MS, theirs.get(question)!)],
        beside,
      });
      const measured = { ours: ours.get(question)!, theirs: theirs.get(question)! };
      return {
        ...figure,
        detail: `${took(measured.ours)}, ${beside} ${took(measured.theirs)}`,
        comparison: { ...figure.comparison!, ...measured },
      };
    }),
  );
}

function took(milliseconds: number): string {
  return `${milliseconds.toFixed(1)} ms`;
}
