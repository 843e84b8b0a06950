import { button, element, foreign, onEnter, toggle } from './dom.ts';
import type { PageAnswer, PageApproval, PageArgument, PageCall } from './protocol.ts';

export interface ApprovalControls {
  readonly nodes: readonly Node[];
  /** @returns true if other calls wait */
  update(approval: PageApproval): boolean;
}

/**
 * The decision on calls of one tool, as in the window. Enter never allows.
 *
 * @param box for what the agent reads if the person denies
 */
export function approvalControls(
  approval: PageApproval,
  box: HTMLTextAreaElement,
  send: (answer: PageAnswer) => void,
): ApprovalControls {
  const shown = new Map<string, { readonly node: HTMLElement; readonly equal: HTMLElement }>();
  const calls = element('div', '');
  const all = () => [...shown.keys()];
  const decide = {
    deny: (ids: readonly string[]) => send({ kind: 'deny', text: box.value, ids }),
    allow: (scope: Scope, ids: readonly string[]) => send({ kind: 'allow', scope, ids }),
  };

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
  box.placeholder = 'Why not? The agent reads it if you deny.';
  onEnter(box, () => decide.deny(all()));

  function show(call: PageCall): void {
    const equal = element('p', 'soft');
    const own = element(
      'div',
      'actions own',
      button('Deny', '', () => decide.deny([call.id])),
      allowing('Allow once', '', () => decide.allow('once', [call.id])),
    );
    const node = element('div', 'call', argumentList(call), equal, own);
    shown.set(call.id, { node, equal });
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
    return gone.length + added.length > 0;
  }

  update(approval);
  const claim = approval.claim === '' ? [] : [foreign('p', 'claim', approval.claim)];
  const buttons = [deny, allow, ...(approval.more.length === 0 ? [] : [more])];
  return {
    nodes: [
      ...claim,
      calls,
      ...(approval.takesReason ? [box] : []),
      element('div', 'actions', ...buttons),
      choices,
    ],
    update,
  };
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
  const rows = given.flatMap((each) => [foreign('dt', '', each.name), element('dd', '', valueNode(each))]);
  return element('dl', '', ...rows);
}

function valueNode({ value, fold }: PageArgument): HTMLElement {
  const whole = foreign('pre', '', value);
  if (fold === undefined) return whole;
  const size = element('span', 'soft', ` ${fold.size}`);
  return element('details', '', element('summary', '', foreign('bdi', '', fold.beginning), size), whole);
}
