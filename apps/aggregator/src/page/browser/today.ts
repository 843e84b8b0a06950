import { byId, element, foreign, timeOf } from './dom.ts';
import { showOpen } from './now.ts';
import type { PageRecord } from './protocol.ts';

/** How many rows are drawn at once. */
const PART = 40;
/** Longer texts are folded. */
const LINE_LENGTH = 300;

const list = byId('records', HTMLOListElement);
const search = byId('search', HTMLInputElement);
const agent = byId('agent', HTMLSelectElement);
const more = byId('more', HTMLButtonElement);

interface Row {
  record: PageRecord;
  /** What the search looks through. */
  words: string;
}

/** By id, the newest last. */
const rows = new Map<string, Row>();
const agents = new Set<string>();
/** By id. */
const open = new Map<string, PageRecord>();
/** Those in the list, by id. */
const drawn = new Map<string, HTMLLIElement>();
/** The first row of the list; later ones are drawn above it. */
let isWhole = false;

/** Records come for the first time, or have changed. */
export function addRecords(records: readonly PageRecord[]): void {
  const isWanted = filter();
  let isStale = false;
  for (const record of records) {
    const { id, caller, kind, tool = '', mount = '', outcome = 'open', project = '' } = record;
    const { text = '', level = '' } = record;
    const words = [caller, project, kind, mount, tool, outcome, level, text].join(' ').toLowerCase();
    const before = rows.get(id);
    rows.set(id, { record, words });
    if (record.outcome === undefined) open.set(id, record);
    else open.delete(id);
    if (!agents.has(caller)) {
      agents.add(caller);
      agent.append(new Option(caller, caller));
    }
    const node = drawn.get(id);
    if (node !== undefined) fill(node, record);
    else if (isWhole && isWanted({ record, words })) {
      // An earlier record stands further down, or is found only now.
      if (before === undefined) prepend(record);
      else isStale ||= !isWanted(before);
    }
  }
  showOpen([...open.values()]);
  if (isStale) drawRecords();
}

function prepend(record: PageRecord): void {
  const added = nodeOf(record);
  drawn.set(record.id, added);
  list.prepend(added);
}

/** Draws the list when everything from before the connection has come. */
export function drawRecords(): void {
  drawn.clear();
  list.replaceChildren();
  isWhole = true;
  drawPart();
}

function drawPart(): void {
  const part: Node[] = [];
  const wanted = matching();
  for (const row of wanted) {
    if (drawn.has(row.record.id)) continue;
    const node = nodeOf(row.record);
    drawn.set(row.record.id, node);
    part.push(node);
    if (part.length === PART) break;
  }
  list.append(...part);
  more.hidden = drawn.size >= wanted.length;
}

/** The newest first. */
function matching(): readonly Row[] {
  return [...rows.values()].filter(filter()).toReversed();
}

/** What the person looks for now. */
function filter(): (row: Row) => boolean {
  const caller = agent.value;
  const wanted = search.value.toLowerCase().split(/\s+/);
  return ({ record, words }) =>
    (caller === '' || record.caller === caller) && wanted.every((word) => words.includes(word));
}

function nodeOf(record: PageRecord): HTMLLIElement {
  const node = element('li', '');
  fill(node, record);
  return node;
}

const BAD = new Set([
  'error',
  'failed',
  'denied',
  'lost',
  'not shown',
  'timed out',
  'interrupted',
  'unknown',
]);

function fill(node: HTMLLIElement, record: PageRecord): void {
  const { asked, caller, kind, mount, tool, outcome = 'open', via, ms, level = 'info', seen } = record;
  const time = element('time', '', timeOf(asked));
  time.dateTime = asked;
  const call = [mount, tool].filter((part) => part !== undefined).join(' ');
  const what = record.text ?? (kind === 'call' ? call : `${kind}${call === '' ? '' : `, ${call}`}`);
  const wasSeen = kind === 'notification' && seen !== undefined ? `, seen ${timeOf(seen)}` : '';
  const took = ms === undefined || ms < 1000 ? '' : `, ${durationText(ms)}`;
  node.replaceChildren(
    time,
    element('span', '', foreign('bdi', '', caller), ': ', ...levelOf(level), ...textOf(what)),
    element(
      'span',
      BAD.has(outcome) ? 'end bad' : 'end',
      `${outcome}${via === undefined ? '' : ` (${via})`}${took}${wasSeen}`,
    ),
  );
}

function levelOf(level: string): readonly (string | Node)[] {
  return level === 'info' ? [] : [element('strong', level === 'error' ? 'late' : '', level), ' '];
}

/** A long text is folded. */
function textOf(text: string): readonly Node[] {
  const [line = '', next] = text.split('\n', 2);
  if (next === undefined && line.length <= LINE_LENGTH) return [foreign('bdi', '', line)];
  const summary = element('summary', '', foreign('bdi', '', `${line.slice(0, LINE_LENGTH)} …`));
  return [element('details', '', summary, foreign('div', 'plain', text))];
}

function durationText(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

search.addEventListener('input', drawRecords);
agent.addEventListener('change', drawRecords);
more.addEventListener('click', () => {
  const last = list.lastElementChild;
  drawPart();
  const next = last?.nextElementSibling;
  if (next instanceof HTMLElement) {
    next.tabIndex = -1;
    next.focus();
  }
});
byId('filter', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());
