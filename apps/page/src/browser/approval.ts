import { unseenWords, viewGate } from '@deskside/look/gate';
import { button, element, foreign, onEnter, setHtml, statusLine, toggle } from './dom.ts';
import type { PageAnswer, PageApproval } from './protocol.ts';

export interface ApprovalControls {
  readonly node: Node;
  /** @returns true if other calls wait */
  update(approval: PageApproval): boolean;
}

const SCOPES = ['once', 'session', 'always'] as const;

/**
 * The decision on calls of one tool, as in the window. Enter never allows, and nothing is allowed that was not in view.
 *
 * @param box for what the agent reads if the person denies
 * @param load gets the whole of a folded value
 */
export function approvalControls(
  approval: PageApproval,
  box: HTMLTextAreaElement,
  send: (answer: PageAnswer) => void,
  load: (query: string) => Promise<string | undefined>,
): ApprovalControls {
  const claim = foreign('p', 'claim-line', approval.claim);
  claim.toggleAttribute('data-destroys', approval.destroys);
  const calls = element('div', '');
  const unseen = statusLine();
  const next = button('Show the next', '', () => gate.showNext());
  const deny = deciding('', '');
  const allow = deciding('', 'main', 'once');
  const choices = element(
    'div',
    'actions',
    ...approval.more.map(({ scope, text }) => deciding(text, '', scope)),
  );
  const more = button('Longer ▾', '');
  more.setAttribute('aria-label', 'Allow for longer');
  toggle(more, choices);
  const actions = element('div', 'actions', deny, allow, ...(approval.more.length === 0 ? [] : [more]));
  const { reason } = approval.words;
  box.placeholder = reason;
  const node = element(
    'div',
    '',
    claim,
    calls,
    unseen,
    next,
    ...(reason === '' ? [] : [box]),
    actions,
    choices,
  );
  const gate = viewGate(showUnseen, load);

  /** A button in a call decides on this one. */
  function decide(pressed: HTMLElement): void {
    const call = pressed.closest('.call');
    const ids = (call === null ? [...calls.children] : [call]).map(idOf);
    const scope = SCOPES.find((each) => each === pressed.dataset['scope']);
    if (scope === undefined) send({ kind: 'deny', text: box.value, ids });
    else if (gate.unseenIn(call ?? calls) > 0) next.focus();
    else send({ kind: 'allow', scope, ids });
  }

  function showUnseen(): void {
    const count = gate.unseenIn(calls);
    next.hidden = count === 0;
    const text = count === 0 ? '' : unseenWords(count, calls.querySelectorAll('.part').length);
    if (unseen.textContent !== text) unseen.textContent = text;
    for (const each of node.querySelectorAll('[data-scope]'))
      each.setAttribute('aria-disabled', String(gate.unseenIn(each.closest('.call') ?? calls) > 0));
  }

  /** What is unfolded in a call that stays is not touched. */
  function update({ html, words }: PageApproval): boolean {
    const wanted = element('div', '');
    setHtml(wanted, html);
    const gone = new Map([...calls.children].map((call) => [idOf(call), call]));
    const added: Element[] = [];
    for (const call of wanted.children) {
      const known = gone.get(idOf(call));
      gone.delete(idOf(call));
      if (known === undefined) added.push(call);
      else known.querySelector('.equal')?.replaceChildren(call.querySelector('.equal')?.textContent ?? '');
    }
    for (const call of gone.values()) call.remove();
    calls.append(...added);
    const which = calls.children.length === 1 ? 'one' : 'all';
    deny.textContent = words.deny[which];
    allow.textContent = words.allow[which];
    gate.watch(calls);
    showUnseen();
    return gone.size + added.length > 0;
  }

  node.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLElement && target.matches('.deciding, .own > button')) decide(target);
  });
  node.addEventListener('keydown', (event) => {
    const { target, key } = event;
    if (key === 'Enter' && target instanceof HTMLElement && target.matches('[data-scope]'))
      event.preventDefault();
  });
  onEnter(box, () => decide(deny));
  update(approval);
  return { node, update };
}

/** @param scope undefined: it denies */
function deciding(text: string, className: string, scope?: string): HTMLButtonElement {
  const made = button(text, `deciding ${className}`.trim());
  if (scope !== undefined) made.dataset['scope'] = scope;
  return made;
}

function idOf(call: Element): string {
  return call.getAttribute('data-id') ?? '';
}
