import { ageOf, byId, element, foreign } from './dom.ts';
import type { PageClient, PageRecord } from './protocol.ts';

const list = byId('agents', HTMLUListElement);
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

/** Each agent and what it does; also those that have no desk, if they wait for something. */
export function drawNow(): void {
  const labels = new Set([...clients.map(({ label }) => label), ...open.map(({ caller }) => caller)]);
  list.replaceChildren(
    ...[...labels].map((label) => {
      const own = open.filter(({ caller }) => caller === label);
      const doing = own.length === 0 ? ['idle'] : own.map(activityOf);
      return element('li', '', foreign('strong', '', label), ' ', foreign('span', 'soft', doing.join(', ')));
    }),
  );
}

function activityOf({ kind, mount, tool, asked }: PageRecord): string {
  const waits = kind === 'question' || kind === 'approval';
  const what = waits ? 'waits for your answer' : [mount, tool].filter((part) => part !== undefined).join(' ');
  return `${what === '' ? kind : what} (${ageOf(asked)})`;
}
