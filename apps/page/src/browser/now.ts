import { showTerminal, tellAgent, UNSENT } from './connection.ts';
import {
  ageOf,
  avatar,
  button,
  byId,
  draftBox,
  element,
  foreign,
  forgetDraft,
  onEnter,
  statusLine,
  toggle,
} from './dom.ts';
import type { PageClient, PageRecord } from './protocol.ts';

interface Agent {
  readonly node: HTMLLIElement;
  readonly name: HTMLElement;
  readonly doing: HTMLElement;
  readonly notice: HTMLElement;
  hasNote: boolean;
}

const list = byId('agents', HTMLUListElement);
/** By session, else by label. */
const agents = new Map<string, Agent>();
let clients: readonly PageClient[] = [];
let open: readonly PageRecord[] = [];

export function showClients(next: readonly PageClient[]): void {
  clients = next;
  drawNow();
}

/** Calls and questions that have not ended. */
export function showOpen(next: readonly PageRecord[]): void {
  open = next;
  drawNow();
}

/** Each agent and what it does; also those that have no desk, if they wait for something. What the person types stays. */
export function drawNow(): void {
  const labels = new Set(clients.map(({ label }) => label));
  const others = new Set(open.map(({ caller }) => caller).filter((caller) => !labels.has(caller)));
  const shown = new Map<string, Pick<PageClient, 'label' | 'session' | 'hasNote'>>([
    ...clients.map((client) => [client.session ?? client.label, client] as const),
    ...[...others].map((label) => [label, { label }] as const),
  ]);
  for (const [key, { node, doing }] of agents) {
    if (shown.has(key)) continue;
    // The next keys would be shortcuts, and the text of a note would be lost.
    if (node.contains(document.activeElement) || node.querySelector('textarea')?.value) {
      doing.textContent = 'has left';
      continue;
    }
    node.remove();
    agents.delete(key);
  }
  for (const [key, client] of shown) update(agents.get(key) ?? add(key, client), client);
}

function add(key: string, { session, label }: Pick<PageClient, 'session' | 'label'>): Agent {
  const name = foreign('strong', '', '');
  const doing = foreign('span', 'soft', '');
  const notice = statusLine();
  const node = element('li', '', element('div', 'who', avatar(label), name, doing));
  const agent = { node, name, doing, notice, hasNote: false };
  if (session !== undefined) node.append(...controlsOf(session, agent));
  agents.set(key, agent);
  list.append(node);
  return agent;
}

function update(agent: Agent, { label, hasNote = false }: Pick<PageClient, 'label' | 'hasNote'>): void {
  const own = open.filter(({ caller }) => caller === label);
  agent.name.textContent = label;
  agent.doing.textContent = own.length === 0 ? 'idle' : own.map(activityOf).join(', ');
  if (agent.hasNote && !hasNote) agent.notice.textContent = 'The agent has read your note.';
  if (hasNote) agent.notice.textContent = 'The agent reads your note at its next call to Deskside.';
  agent.hasNote = hasNote;
}

function controlsOf(session: string, { name, notice }: Agent): readonly Node[] {
  const box = draftBox(session, 'Note to this agent');
  box.placeholder = 'The agent reads this at its next call to Deskside.';
  box.addEventListener('focus', () => box.setAttribute('aria-label', `Note to ${name.textContent}`));
  const send = async () => {
    if (box.readOnly) return;
    if (box.value.trim() === '') return box.focus();
    // A second press would send it twice.
    box.readOnly = true;
    notice.textContent = '';
    const delivery = await tellAgent(session, box.value);
    box.readOnly = false;
    if (delivery === 'gone') notice.textContent = 'This agent is gone. Your text is still here.';
    else if (delivery !== 'received') notice.textContent = UNSENT[delivery];
    else {
      box.value = '';
      forgetDraft(session);
      toggleForm();
      tell.focus();
    }
  };
  onEnter(box, () => void send());
  const actions = element(
    'div',
    'actions',
    button('Send', 'main', () => void send()),
  );
  const form = element('div', '', box, actions);
  const raise = async () => {
    const isKnown = await showTerminal(session);
    notice.textContent = isKnown ? '' : 'The terminal of this agent is not known.';
  };
  const show = button('Show terminal', '', () => void raise());
  const tell = button('Tell this agent', '');
  const toggleForm = toggle(tell, form);
  if (box.value !== '') toggleForm();
  tell.addEventListener('click', () => box.focus());
  return [element('div', 'actions', show, tell), form, notice];
}

function activityOf({ kind, mount, tool, asked }: PageRecord): string {
  const waits = kind === 'question' || kind === 'approval';
  const what = waits ? 'waits for your answer' : [mount, tool].filter((part) => part !== undefined).join(' ');
  return `${what === '' ? kind : what} (${ageOf(asked)})`;
}
