import { unseenWords, viewGate } from '@deskside/look/gate';
import { button, element, foreign, onEnter, statusLine, toggle } from './dom.ts';
import type { PageAnswer, PageApproval, PageArgument, PageCall } from './protocol.ts';

export interface ApprovalControls {
  readonly nodes: readonly Node[];
  /** @returns true if other calls wait */
  update(approval: PageApproval): boolean;
}

/**
 * The decision on calls of one tool, as in the window. Enter never allows, and nothing is allowed that was not in view.
 *
 * @param box for what the agent reads if the person denies
 */
export function approvalControls(
  approval: PageApproval,
  box: HTMLTextAreaElement,
  send: (answer: PageAnswer) => void,
): ApprovalControls {
  const shown = new Map<string, ShownCall>();
  const calls = element('div', '');
  const all = () => [...shown.keys()];
  const unseen = statusLine();
  const next = button('Show the next', '', () => gate.showNext());
  const gate = viewGate(showUnseen);
  const decide = {
    deny: (ids: readonly string[]) => send({ kind: 'deny', text: box.value, ids }),
    allow(scope: Scope, ids: readonly string[], root: Element = calls) {
      if (gate.unseenIn(root) > 0) next.focus();
      else send({ kind: 'allow', scope, ids });
    },
  };

  function showUnseen(): void {
    const count = gate.unseenIn(calls);
    next.hidden = count === 0;
    const text = count === 0 ? '' : unseenWords(count, calls.querySelectorAll('.part').length);
    if (unseen.textContent !== text) unseen.textContent = text;
    for (const each of [allow, ...choices.children]) each.setAttribute('aria-disabled', String(count > 0));
    for (const { node, own } of shown.values())
      own.setAttribute('aria-disabled', String(gate.unseenIn(node) > 0));
  }

  const deny = button('', '', () => decide.deny(all()));
  const allow = allowing('', 'main', () => decide.allow('once', all()));
  const choices = element(
    'div',
    'actions',
    ...approval.more.map(({ scope, text }) => allowing(text, '', () => decide.allow(scope, all()))),
  );
  const more = button('▾', '');
  more.setAttribute('aria-label', 'Allow for longer');
  toggle(more, choices);
  box.placeholder = approval.words.reason;
  onEnter(box, () => decide.deny(all()));

  function show(call: PageCall): void {
    const equal = element('p', 'soft');
    const own = allowing('Allow once', '', () => decide.allow('once', [call.id], node));
    const deny = button('Deny', '', () => decide.deny([call.id]));
    const actions = element('div', 'actions own', deny, own);
    const node = element('div', 'call', argumentList(call), equal, actions);
    shown.set(call.id, { node, equal, own });
    calls.append(node);
  }

  function update({ calls: waiting, words }: PageApproval): boolean {
    const ids = new Set(waiting.map(({ id }) => id));
    const gone = all().filter((id) => !ids.has(id));
    const added = waiting.filter(({ id }) => !shown.has(id));
    for (const id of gone) {
      shown.get(id)?.node.remove();
      shown.delete(id);
    }
    for (const call of added) show(call);
    for (const { id, equal } of waiting) shown.get(id)?.equal.replaceChildren(equal);
    const which = waiting.length === 1 ? 'one' : 'all';
    deny.textContent = words.deny[which];
    allow.textContent = words.allow[which];
    gate.watch(calls);
    showUnseen();
    return gone.length + added.length > 0;
  }

  update(approval);
  const claim = foreign('p', 'claim-line', approval.claim);
  claim.toggleAttribute('data-destroys', approval.destroys);
  const buttons = [deny, allow, ...(approval.more.length === 0 ? [] : [more])];
  return {
    nodes: [
      claim,
      calls,
      unseen,
      next,
      ...(approval.words.reason === '' ? [] : [box]),
      element('div', 'actions', ...buttons),
      choices,
    ],
    update,
  };
}

interface ShownCall {
  readonly node: HTMLElement;
  readonly equal: HTMLElement;
  /** Allows this call alone. */
  readonly own: HTMLElement;
}

type Scope = 'once' | PageApproval['more'][number]['scope'];

/** A button that Enter does not press. */
function allowing(text: string, className: string, press: () => void): HTMLButtonElement {
  const made = button(text, className, press);
  made.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') event.preventDefault();
  });
  return made;
}

function argumentList({ arguments: given }: PageCall): HTMLElement {
  if (given.length === 0) return element('p', 'soft', 'No arguments');
  const rows = given.map((each) => {
    const row = element('div', 'part', foreign('dt', 'piece', each.name), element('dd', '', valueNode(each)));
    row.tabIndex = -1;
    return row;
  });
  return element('dl', '', ...rows);
}

function valueNode({ value, fold }: PageArgument): HTMLElement {
  if (fold === undefined) return foreign('pre', 'piece', value);
  const ends = [fold.beginning, fold.end].filter((text) => text !== '');
  const size = element('span', 'soft', fold.size);
  const summary = element(
    'summary',
    '',
    ...ends.flatMap((text) => [foreign('bdi', 'piece', text), ' ']),
    size,
  );
  return element('details', 'fold', summary, foreign('pre', '', value));
}
