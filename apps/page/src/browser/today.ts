import { markSeen } from './connection.ts';
import { dateOf } from './day.ts';
import { avatar, byId, durationText, element, foreign, timeOf } from './dom.ts';
import { showOpen } from './now.ts';
import { type PageRecord, PART } from './protocol.ts';

/** Longer texts are folded. */
const LINE_LENGTH = 300;
/** Who has used the page this long before is still there. */
const ACTIVE_MS = 10_000;
/** A row of which less is in the window is not in view. */
const ROW_MARGIN = '-32px 0px';

const list = byId('records', HTMLElement);
const search = byId('search', HTMLInputElement);
const more = byId('more', HTMLButtonElement);
const none = byId('none', HTMLElement);

interface Row {
  readonly record: PageRecord;
  /** What the search looks through. */
  readonly words: string;
}

/** What one agent did. Its calls are folded. */
interface Group {
  readonly node: HTMLElement;
  readonly list: HTMLElement;
  readonly calls: HTMLDetailsElement;
  readonly summary: HTMLElement;
  readonly callList: HTMLElement;
}

/** By id, the newest last. */
let rows = new Map<string, Row>();
const groups = new Map<string, Group>();
/** By id. */
const open = new Map<string, PageRecord>();
/** Those in the lists, by id. */
let drawn = new Map<string, HTMLLIElement>();
/** How many of them are not folded. */
let shown = 0;
/** True as soon as the newest records of today are here. */
let isReady = false;
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
  isReady = false;
}

/** Records come for the first time, or have changed. */
export function addRecords(records: readonly PageRecord[], areEarlier = false): void {
  const isWanted = filter();
  let added = 0;
  if (areEarlier) rows = new Map([...records.map((record) => [record.id, rowOf(record)] as const), ...rows]);
  for (const record of records) {
    const { id, outcome } = record;
    const row = rowOf(record);
    if (!rows.has(id) && isWanted(row) && isShown(row)) added += 1;
    rows.set(id, row);
    if (outcome === undefined) open.set(id, record);
    else open.delete(id);
    const node = drawn.get(id);
    if (node !== undefined) fill(node, record);
  }
  showOpen([...open.values()]);
  draw(Math.max(PART, shown + added));
}

function rowOf(record: PageRecord): Row {
  const { caller, project, kind, mount, tool, outcome = 'open', level, text, answer } = record;
  const words = [caller, project, kind, mount, tool, outcome, level, text, answer].join(' ');
  return { record, words: folded(words) };
}

/** For searching: without case and accents, however they are encoded. */
function folded(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toUpperCase().toLowerCase();
}

/** The newest records have come. The others of today follow. */
export function showRecords(): void {
  isReady = true;
  showOpen([...open.values()]);
  draw(PART);
}

/** What is open is of today. */
function dropEarlierDays(): void {
  const today = dateOf(new Date());
  for (const [id, { record }] of rows)
    if (record.outcome !== undefined && dateOf(new Date(record.asked)) < today) rows.delete(id);
}

/** Calls are folded, unless the person looks for one. */
const isShown = ({ record }: Row) => record.kind !== 'call' || search.value.trim() !== '';

/** Draws so many of the records that the person looks for, by agent. What stays in a list is not drawn again. */
function draw(count: number): void {
  if (!isReady) return;
  dropEarlierDays();
  // The newest first.
  const wanted = [...rows.values()].filter(filter()).toReversed();
  const content = wanted.filter(isShown);
  const nodes = new Map<string, HTMLLIElement>();
  const take = ({ record }: Row) => {
    const node = drawn.get(record.id) ?? nodeOf(record);
    nodes.set(record.id, node);
    return node;
  };
  const listed = Map.groupBy(content.slice(0, count), ({ record }) => record.caller);
  const sections = [...Map.groupBy(wanted, ({ record }) => record.caller)].flatMap(([caller, all]) => {
    const own = listed.get(caller) ?? [];
    const folded = all.filter((row) => !isShown(row));
    if (own.length + folded.length === 0) return [];
    const group = getOrAddGroup(caller);
    putInto(group.list, own.map(take));
    group.calls.hidden = folded.length === 0;
    group.summary.textContent = callsText(folded);
    putInto(group.callList, group.calls.open ? folded.slice(0, PART).map(take) : []);
    return [group.node];
  });
  putInto(list, sections);
  drawn = nodes;
  shown = Math.min(count, content.length);
  more.hidden = shown >= content.length;
  const text = sections.length > 0 ? '' : noneText();
  // Assistive technology reads what is written, also if it was there, and only in a line that was not hidden before.
  if (none.textContent !== text) none.textContent = text;
}

function getOrAddGroup(caller: string): Group {
  const known = groups.get(caller);
  if (known !== undefined) return known;
  const [own, callList] = [element('ol', ''), element('ol', '')];
  const summary = element('summary', '');
  const calls = element('details', 'calls', summary, callList);
  calls.addEventListener('toggle', () => draw(shown));
  const head = element('h3', 'who', avatar(caller), foreign('bdi', '', caller));
  const group = { node: element('section', 'group', head, own, calls), list: own, calls, summary, callList };
  groups.set(caller, group);
  return group;
}

/** `12 calls of todo and files, 1 failed` */
function callsText(calls: readonly Row[]): string {
  const mounts = [...new Set(calls.flatMap(({ record }) => record.mount ?? []))];
  const names =
    mounts.length < 2 ? mounts.join('') : `${mounts.slice(0, -1).join(', ')} and ${mounts.at(-1)}`;
  const failed = calls.filter(({ record: { outcome = 'ok' } }) => outcome !== 'ok').length;
  const count = `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}`;
  return `${count}${names === '' ? '' : ` of ${names}`}${failed === 0 ? '' : `, ${failed} failed`}`;
}

/** These children in this order. What stays is not moved. */
function putInto(parent: HTMLElement, nodes: readonly HTMLElement[]): void {
  let at = parent.firstChild;
  for (const node of nodes) {
    if (node === at) at = node.nextSibling;
    else parent.insertBefore(node, at);
  }
  while (at !== null) {
    const after = at.nextSibling;
    at.remove();
    at = after;
  }
}

function noneText(): string {
  return search.value.trim() !== ''
    ? 'Nothing found.'
    : 'Nothing yet. Questions, notifications and calls of your agents appear here. Try one: ask an agent to tell you when it is done.';
}

function showEarlier(): void {
  const before = new Set(drawn.keys());
  draw(shown + PART);
  const next = [...drawn].find(([id]) => !before.has(id))?.[1];
  if (next === undefined) return;
  next.tabIndex = -1;
  next.focus();
}

/** What the person looks for now. */
function filter(): (row: Row) => boolean {
  const wanted = folded(search.value).split(/\s+/);
  return ({ words }) => wanted.every((word) => words.includes(word));
}

function nodeOf(record: PageRecord): HTMLLIElement {
  const node = element('li', '');
  fill(node, record);
  return node;
}

/** What the person may have to look at, besides what is open. */
const BAD = new Set(['failed', 'lost', 'not shown']);
const GOOD = new Set(['ok', 'answered', 'allowed', 'delivered', 'closed']);

function toneOf({ outcome = 'open', level }: PageRecord): string {
  if (outcome === 'open') return 'open';
  if (level === 'error' || BAD.has(outcome)) return 'bad';
  return GOOD.has(outcome) ? 'good' : 'over';
}

const KINDS: Readonly<Record<string, string>> = {
  question: 'A question',
  news: 'News',
  notification: 'A notification',
  approval: 'An approval',
};

function fill(node: HTMLLIElement, record: PageRecord): void {
  const { asked, kind, mount, tool, outcome = 'open', ms, level = 'info', seen } = record;
  const time = element('time', '', timeOf(asked));
  time.dateTime = asked;
  const isCall = mount !== undefined && (kind === 'call' || kind === 'approval');
  const call = [kind === 'approval' ? 'Approval of' : '', mount, tool].join(' ').trim();
  const what = record.text ?? (isCall ? call : (KINDS[kind] ?? ''));
  const isOfPerson = kind === 'question' || kind === 'approval';
  const took = ms === undefined || ms < 1000 ? '' : ` ${isOfPerson ? 'after' : 'in'} ${durationText(ms)}`;
  const wasSeen = seen === undefined ? 'not seen yet' : `seen ${timeOf(seen)}`;
  const isNote = kind === 'notification' && outcome === 'delivered';
  const parts = [
    time,
    element('div', '', element('div', '', ...levelOf(level), ...textOf(what)), ...answerOf(record)),
    element('span', 'end', isNote ? wasSeen : `${outcome}${took}`),
  ];
  node.dataset['tone'] = toneOf(record);
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
  const word = kind === 'approval' ? outcome : 'You';
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

for (const use of ['pointermove', 'pointerdown', 'wheel', 'keydown', 'focus', 'visibilitychange'])
  addEventListener(use, used, { passive: true });
search.addEventListener('input', () => draw(PART));
more.addEventListener('click', showEarlier);
byId('filter', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());

/** A new day may have begun. */
export function refreshRecords(): void {
  draw(Math.max(PART, shown));
}
