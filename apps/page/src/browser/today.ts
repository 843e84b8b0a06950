import { markSeen, readToday } from './connection.ts';
import { dateOf } from './day.ts';
import { byId, element, foreign, timeOf } from './dom.ts';
import { showOpen } from './now.ts';
import { type PageRecord, PART } from './protocol.ts';

/** Longer texts are folded. */
const LINE_LENGTH = 300;
/** Who has used the page this long before is still there. */
const ACTIVE_MS = 10_000;
/** A row of which less is in the window is not in view. */
const ROW_MARGIN = '-32px 0px';

const list = byId('records', HTMLOListElement);
const search = byId('search', HTMLInputElement);
const agent = byId('agent', HTMLSelectElement);
const more = byId('more', HTMLButtonElement);
const none = byId('none', HTMLElement);

interface Row {
  readonly record: PageRecord;
  /** What the search looks through. */
  readonly words: string;
}

/** By id, the newest last. */
let rows = new Map<string, Row>();
const agents = new Set<string>();
/** By id. */
const open = new Map<string, PageRecord>();
/** Those in the list, by id. */
let drawn = new Map<string, HTMLLIElement>();
/** Undefined until the desk has said how many records of today the page does not have. */
let earlier: number | undefined;
let loading: Promise<void> | undefined;
/** When the person last used the page. Opening it is a use. */
let usedAt = performance.now();
/** What shows the text of a notification that was not seen, with the id of its record. */
const unseen = new WeakMap<Element, string>();
/** Some of them. */
const inView = new Set<Element>();
const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) inView.add(target);
      else inView.delete(target);
    }
    reportSeen();
  },
  { rootMargin: ROW_MARGIN },
);

/** A connection begins: it brings the newest records again. */
export function forgetRecords(): void {
  rows.clear();
  open.clear();
  earlier = undefined;
}

/** Records come for the first time, or have changed. */
export function addRecords(records: readonly PageRecord[]): void {
  const isWanted = filter();
  let added = 0;
  for (const record of records) {
    const { id, caller, outcome } = record;
    const row = rowOf(record);
    if (!rows.has(id) && isWanted(row)) added += 1;
    rows.set(id, row);
    if (outcome === undefined) open.set(id, record);
    else open.delete(id);
    addAgent(caller);
    const node = drawn.get(id);
    if (node !== undefined) fill(node, record);
  }
  showOpen([...open.values()]);
  draw(Math.max(PART, drawn.size + added));
}

function rowOf(record: PageRecord): Row {
  const { caller, project, kind, mount, tool, outcome = 'open', level, text, answer } = record;
  const words = [caller, project, kind, mount, tool, outcome, level, text, answer].join(' ');
  return { record, words: folded(words) };
}

/** For searching: without case and the accents of Latin letters, however they are encoded. */
function folded(text: string): string {
  const plain = text.normalize('NFD').replaceAll(/(\p{Script=Latin})\p{M}+/gu, '$1');
  // ß and ı have a partner only in upper case.
  return plain.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

function addAgent(caller: string): void {
  if (agents.has(caller)) return;
  agents.add(caller);
  agent.append(new Option(caller, caller));
}

/** The newest records have come. */
export function showRecords(missing: number, callers: readonly string[]): void {
  earlier = missing;
  for (const caller of callers) addAgent(caller);
  showOpen([...open.values()]);
  draw(PART);
}

/** What is open is of today. */
function dropEarlierDays(): void {
  const today = dateOf(new Date());
  for (const [id, { record }] of rows)
    if (record.outcome !== undefined && dateOf(new Date(record.asked)) < today) rows.delete(id);
}

/** Draws so many of the records that the person looks for. What stays in the list is not drawn again. */
function draw(count: number): void {
  if (earlier === undefined) return;
  dropEarlierDays();
  if (earlier > 0 && isFiltered()) void loadEarlier();
  const wanted = matching();
  const nodes = wanted
    .slice(0, count)
    .map(({ record }) => [record.id, drawn.get(record.id) ?? nodeOf(record)] as const);
  drawn = new Map(nodes);
  let at = list.firstChild;
  for (const [, node] of nodes) {
    if (node === at) at = node.nextSibling;
    else list.insertBefore(node, at);
  }
  while (at !== null) {
    const after = at.nextSibling;
    at.remove();
    at = after;
  }
  more.hidden = earlier === 0 && drawn.size >= wanted.length;
  const text = drawn.size > 0 ? '' : noneText();
  // Assistive technology reads what is written, also if it was there, and only in a line that was not hidden before.
  if (none.textContent !== text) none.textContent = text;
}

function noneText(): string {
  if (loading !== undefined) return 'Searching…';
  return isFiltered() ? 'Nothing found.' : 'Nothing yet today.';
}

function loadEarlier(): Promise<void> {
  loading ??= load();
  return loading;
}

async function load(): Promise<void> {
  const today = new Map<string, Row>();
  const isRead = await readToday((event) => {
    if (event.type !== 'records') return;
    for (const record of event.records) today.set(record.id, rowOf(record));
  });
  loading = undefined;
  // The page says that the desk does not answer.
  if (!isRead) return;
  // What came meanwhile is newer.
  for (const [id, row] of rows) today.set(id, row);
  rows = today;
  earlier = 0;
  draw(Math.max(PART, drawn.size));
}

async function showEarlier(): Promise<void> {
  const before = drawn.size;
  if (earlier !== 0) await loadEarlier();
  draw(before + PART);
  const next = list.children[before];
  if (next instanceof HTMLElement) {
    next.tabIndex = -1;
    next.focus();
  }
}

/** The newest first. */
function matching(): readonly Row[] {
  return [...rows.values()].filter(filter()).toReversed();
}

function isFiltered(): boolean {
  return agent.value !== '' || search.value.trim() !== '';
}

/** What the person looks for now. */
function filter(): (row: Row) => boolean {
  const caller = agent.value;
  const wanted = folded(search.value).split(/\s+/);
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
  const parts = [
    time,
    element(
      'div',
      '',
      element('span', '', foreign('bdi', '', caller), ': ', ...levelOf(level), ...textOf(what)),
      ...answerOf(record),
    ),
    element(
      'span',
      BAD.has(outcome) ? 'end bad' : 'end',
      `${outcome}${via === undefined ? '' : ` (${via})`}${took}${wasSeen}`,
    ),
  ];
  for (const [index, part] of parts.entries()) {
    const old = node.children[index];
    if (old === undefined) node.append(part);
    // What the person has unfolded, and the focus, stay.
    else if (old.textContent !== part.textContent) old.replaceWith(part);
  }
  if (kind !== 'notification' || record.text === undefined || seen !== undefined) return;
  // A folded text is not in view.
  const text = node.querySelector('.plain') ?? node;
  unseen.set(text, record.id);
  observer.observe(text);
}

function used(): void {
  usedAt = performance.now();
  reportSeen();
}

/** The page may be open on a screen in front of which the person is not. */
function reportSeen(): void {
  const isUsed = document.visibilityState === 'visible' && performance.now() - usedAt < ACTIVE_MS;
  if (!isUsed || inView.size === 0) return;
  void markSeen([...inView].flatMap((text) => unseen.get(text) ?? []));
  for (const text of inView) observer.unobserve(text);
  inView.clear();
}

function levelOf(level: string): readonly (string | Node)[] {
  return level === 'info' ? [] : [element('strong', level === 'error' ? 'late' : '', level), ' '];
}

/** What the person said, below what was asked: for an approval why it was denied, or for how long it is allowed. */
function answerOf({ kind, outcome = 'open', answer }: PageRecord): readonly Node[] {
  if (answer === undefined) return [];
  const word = kind === 'approval' ? outcome : 'answer';
  return [element('div', 'said', `${word}: `, ...textOf(answer))];
}

/** A long text is folded. */
function textOf(text: string): readonly Node[] {
  const [line = '', next] = text.split('\n', 2);
  if (next === undefined && line.length <= LINE_LENGTH) return [foreign('bdi', '', line)];
  // Not half of an emoji.
  const beginning = line.slice(0, LINE_LENGTH).replace(/\p{Cs}$/u, '');
  const summary = element('summary', '', foreign('bdi', '', `${beginning} …`));
  return [element('details', '', summary, foreign('div', 'plain', text))];
}

function durationText(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

for (const use of ['pointermove', 'pointerdown', 'wheel', 'keydown', 'focus', 'visibilitychange'])
  addEventListener(use, used, { passive: true });
search.addEventListener('input', () => draw(PART));
agent.addEventListener('change', () => draw(PART));
more.addEventListener('click', () => void showEarlier());
byId('filter', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());

/** A new day may have begun. */
export function refreshRecords(): void {
  draw(Math.max(PART, drawn.size));
}
