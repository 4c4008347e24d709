import type { Transition } from './transition.js';

/** A transition as a record of the status topic: keyed by the request, its value is JSON. */
export function transitionRecord(transition: Transition): {
  key: string;
  headers: Record<string, string>;
  value: Uint8Array;
} {
  return {
    key: transition.requestId,
    headers: {},
    value: Buffer.from(JSON.stringify(transition), 'utf8'),
  };
}

/** The transition in a record's value. The topic is written by this service alone. */
export function transitionOf(value: Buffer): Transition {
  return JSON.parse(value.toString('utf8')) as Transition;
}
