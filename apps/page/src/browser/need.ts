import { type ApprovalControls, approvalControls } from './approval.ts';
import { get, sendAnswer, UNSENT } from './connection.ts';
import {
  ageOf,
  avatar,
  button,
  byId,
  draftBox,
  draftOf,
  element,
  foreign,
  forgetDraft,
  onEnter,
  setHtml,
  statusLine,
} from './dom.ts';
import { moved, wasMeant } from './guard.ts';
import type { PageAnswer, PageItem } from './protocol.ts';

/** How long a cancellation can be taken back. */
const UNDO_MS = 3000;
/** How long an item that has ended says so. */
const SHOWN_MS = 10_000;

interface Entry {
  readonly item: PageItem;
  readonly node: HTMLLIElement;
  readonly body: HTMLElement;
  readonly age: HTMLElement;
  readonly notice: HTMLElement;
  isOver: boolean;
  approval: ApprovalControls | undefined;
  /** When its buttons were shown, or have become something else: only of an approval. */
  changedAt: number;
}

const list = byId('items', HTMLOListElement);
const title = byId('need-title', HTMLElement);
const entries = new Map<string, Entry>();
/** The last answer from here, for the text of its end, with what was typed if that was sent. */
let ownAnswer: { readonly id: string; readonly text: string } | undefined;

/** Everything that is open comes again after a new connection. @returns what to do when all of it has come */
export function reconnect(): () => void {
  const before = new Set([...entries.values()].filter(({ isOver }) => !isOver).map(({ item }) => item.id));
  seen = new Set();
  return () => {
    for (const id of before) if (!seen.has(id)) end(id, 'It ended while this page was not connected.');
  };
}

let seen = new Set<string>();

/** A message with a scroll bar is reached with the keyboard. */
const sizes = new ResizeObserver((changes) => {
  for (const { target } of changes) {
    if (target.scrollHeight > target.clientHeight) target.setAttribute('tabindex', '0');
    else target.removeAttribute('tabindex');
  }
});

/** Something waits. What is known stays as it is, with what the person typed. */
export function showItem(item: PageItem): void {
  seen.add(item.id);
  const known = entries.get(item.id);
  if (known !== undefined) return update(known, item);
  const notice = statusLine();
  const age = element('span', 'soft', ageOf(item.asked));
  const name = foreign('h3', '', item.caller);
  const body = element('div', '');
  const head = element('div', 'who', avatar(item.caller), name, ...projectOf(item), age);
  const message = element('div', 'message text');
  setHtml(message, item.html);
  if (item.approval !== undefined)
    (message.querySelector('p') ?? message).append(
      element('span', 'object', ' ', foreign('bdi', '', item.approval.object)),
    );
  // The page stays where it is.
  for (const link of message.querySelectorAll('a')) link.target = '_blank';
  const node = element('li', item.approval === undefined ? 'item' : 'item asks', head, message, body, notice);
  node.tabIndex = -1;
  const entry: Entry = {
    item,
    node,
    body,
    age,
    notice,
    isOver: false,
    approval: undefined,
    changedAt: item.approval === undefined ? -Infinity : performance.now(),
  };
  entries.set(item.id, entry);
  body.append(...controlsOf(entry));
  // What came later stands below: nothing moves under the pointer.
  list.append(node);
  sizes.observe(message);
  count();
}

/** Calls join an approval, and leave it. */
function update(entry: Entry, { approval }: PageItem): void {
  const hadFocus = entry.node.contains(document.activeElement);
  if (entry.isOver || approval === undefined || entry.approval?.update(approval) !== true) return;
  if (hadFocus && !entry.node.contains(document.activeElement)) entry.node.focus();
  // It was of the call that waited alone.
  entry.node.querySelector('.object')?.remove();
  entry.changedAt = performance.now();
  say(entry, 'Other calls wait now.');
  moved();
}

function projectOf({ project, caller }: PageItem): readonly Node[] {
  return project === undefined || caller.includes(project) ? [] : [foreign('span', 'soft', project)];
}

/** What a person can do here. */
function controlsOf(entry: Entry): readonly Node[] {
  const { item } = entry;
  if (item.kind === 'news') return [button('Close', '', () => void answer(entry, { kind: 'close' }))];
  if (item.kind === 'question' && item.isSimple) return questionControls(entry);
  if (item.approval !== undefined) {
    const box = draftBox(item.id, `Reason for ${item.caller}`);
    const send = (given: PageAnswer) => void answer(entry, given);
    const load = (query: string) => get<string>(`/value?item=${encodeURIComponent(item.id)}&${query}`);
    entry.approval = approvalControls(item.approval, box, send, load);
    return [entry.approval.node];
  }
  return [element('p', 'soft', 'Answer in the window.')];
}

function questionControls(entry: Entry): readonly Node[] {
  const { item } = entry;
  const box = draftBox(item.id, `Answer to ${item.caller}`);
  const send = () => {
    if (box.value.trim() === '') return box.focus();
    void answer(entry, { kind: 'text', text: box.value });
  };
  onEnter(box, send);
  const options = item.options.map((option, index) => {
    const made = button(option, '', () => {
      const typed = box.value.trim();
      if (typed === '' || typed === option) void answer(entry, { kind: 'option', index });
      else say(entry, 'Nothing was sent: the box has another text. Send it, or empty the box.');
    });
    made.dir = 'auto';
    return made;
  });
  const cancel = button('Cancel question', '', () => cancelSoon(entry));
  return [
    ...(options.length === 0 ? [] : [element('div', 'options', ...options)]),
    box,
    element('div', 'actions', cancel, button('Send', 'main', send)),
  ];
}

async function answer(entry: Entry, given: PageAnswer): Promise<void> {
  if (entry.isOver) return;
  if (!wasMeant(entry.changedAt))
    return say(entry, 'Nothing was sent: the page had just changed. Press again.');
  await transmit(entry, given);
}

async function transmit(entry: Entry, given: PageAnswer): Promise<void> {
  const reply = given.kind === 'option' ? entry.item.options[given.index] : undefined;
  const own = { id: entry.item.id, text: 'text' in given ? given.text : (reply ?? '') };
  ownAnswer = own;
  say(entry, '');
  const delivery = await sendAnswer(own.id, given);
  // The stream says how it ended, also if another surface was faster.
  if (delivery === 'received' || delivery === 'gone') return;
  if (ownAnswer === own) ownAnswer = undefined;
  say(entry, UNSENT[delivery]);
}

function cancelSoon(entry: Entry): void {
  if (!wasMeant() || entry.isOver) return;
  const { body } = entry;
  const before = [...body.childNodes];
  say(entry, '');
  const send = () => {
    stop();
    if (entry.isOver) return;
    if (body.contains(document.activeElement)) entry.node.focus();
    body.replaceChildren(...before);
    void transmit(entry, { kind: 'cancel' });
  };
  const timer = setTimeout(send, UNDO_MS);
  // The page has said that it is cancelled.
  addEventListener('pagehide', send);
  const stop = () => {
    clearTimeout(timer);
    removeEventListener('pagehide', send);
  };
  const undo = button('Undo', '', () => {
    stop();
    body.replaceChildren(...before);
    body.querySelector('textarea')?.focus();
  });
  body.replaceChildren(
    element('div', 'actions', element('span', 'result', 'The question is cancelled.'), undo),
  );
  undo.focus();
}

const OUTCOMES: Readonly<Record<string, string>> = {
  submitted: 'Answered',
  allowed: 'Allowed',
  denied: 'Denied',
  cancelled: 'Cancelled',
  dismissed: 'Closed',
  timeout: 'The time for the answer is over',
  superseded: 'The agent asked something else',
  abandoned: 'The agent no longer waits',
  displayed: 'Read',
};

const PLACES: Readonly<Record<string, string>> = {
  window: ' in the window',
  form: ' in the client',
  page: ' on another page',
  phone: ' on the phone',
};

/** An item has ended, wherever. */
export function endItem(id: string, outcome: string, via: string | undefined): void {
  const own = via === 'page' && ownAnswer?.id === id ? ownAnswer : undefined;
  const place = own === undefined ? (PLACES[via ?? ''] ?? '') : '';
  end(id, `${OUTCOMES[outcome] ?? 'Ended'}${place}.`, own?.text);
}

/** @param sent what was typed here and sent */
function end(id: string, text: string, sent = ''): void {
  const entry = entries.get(id);
  if (entry === undefined || entry.isOver) return;
  entry.isOver = true;
  const { node, body } = entry;
  // The box is away while a cancellation can be taken back.
  const draft = draftOf(id).trim();
  const typed = draft === sent.trim() ? '' : draft;
  const hasFocus = node.contains(document.activeElement);
  forgetDraft(id);
  say(entry, '');
  body.replaceChildren(element('p', 'result', text));
  // Typed text is not lost: it can be copied.
  if (typed !== '')
    body.append(element('p', 'soft', 'You had typed:'), foreign('div', 'message plain', typed));
  node.classList.add('over');
  if (hasFocus) node.focus();
  count();
  if (typed === '') setTimeout(() => remove(entry), SHOWN_MS);
  else body.append(button('Close', '', () => remove(entry)));
}

function remove({ item, node }: Entry): void {
  const hadFocus = node.contains(document.activeElement);
  node.remove();
  entries.delete(item.id);
  moved();
  if (hadFocus) focusNext();
}

function say({ notice }: Entry, text: string): void {
  notice.textContent = text;
}

/** Goes to the oldest open item, or to the one after the present. */
export function focusNext(): void {
  const open = [...entries.values()].filter(({ isOver }) => !isOver);
  const at = open.findIndex(({ node }) => node.contains(document.activeElement));
  const next = open[(at + 1) % open.length];
  if (next === undefined) return byId('need', HTMLElement).focus();
  const [box, first] = ['textarea', 'button'].map((name) => next.body.querySelector<HTMLElement>(name));
  (box ?? first ?? next.node).focus();
}

function count(): void {
  const open = [...entries.values()].filter(({ isOver, item }) => !isOver && item.kind !== 'news').length;
  title.textContent = open === 0 ? 'Needs you' : `Needs you (${open})`;
  document.title = open === 0 ? 'Deskside' : `(${open}) Deskside`;
}

export function refreshAges(): void {
  for (const { item, age } of entries.values()) age.textContent = ageOf(item.asked);
}
