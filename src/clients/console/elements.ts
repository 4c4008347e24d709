/** Elements of the page. Text goes in as text only, never as HTML: it may come from a file. */

type Attributes = Readonly<Record<string, string | boolean>>;

/** An element with attributes (`true`: without a value, `false`: none) and children. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(attribute, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

/** A table in a box that scrolls where it is too wide or too long, also by keyboard. */
export function scrollingTable(
  label: string,
  captionAttributes: Attributes,
  columns: readonly string[],
  rows: readonly (readonly HTMLTableCellElement[])[],
): HTMLElement {
  const head = columns.map((title) => element('th', { scope: 'col' }, title));
  const made = element(
    'table',
    {},
    element('caption', captionAttributes, label),
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...rows.map((cells) => element('tr', {}, ...cells))),
  );
  const box = { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': label };
  return element('div', box, made);
}

/** @throws Error when the page has no such element of that kind */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`);
  return found;
}

/** A button. Only screen readers need to be told which of many similar ones it is. */
export function button(label: string, of: string, act: () => void, kind = ''): HTMLButtonElement {
  const made = element(
    'button',
    { type: 'button', class: kind },
    label,
    element('span', { class: 'unseen' }, ` ${of}`),
  );
  made.addEventListener('click', act);
  return made;
}

const PAUSE_MS = 150;
let waiting: string[] = [];

/** Has screen readers say something, without moving the focus. */
export function announce(text: string): void {
  waiting.push(text);
  if (waiting.length > 1) return;
  // Messages in quick succession are read together instead of cutting one another off.
  setTimeout(() => {
    byId('announcer', HTMLElement).textContent = waiting.join('. ');
    waiting = [];
  }, PAUSE_MS);
}

/** Offers the reader of the page a file to save. */
export function download(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  element('a', { href: url, download: name }).click();
  // The browser has opened it long before.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 60_000);
}
