import { followDesk, type LinkState, redeemLink } from './connection.ts';
import { loadDay } from './day.ts';
import { byId, isOfInputMethod, toggle } from './dom.ts';
import { endItem, focusNext, reconnect, refreshAges, showItem } from './need.ts';
import { drawNow, showClients } from './now.ts';
import type { PageEvent } from './protocol.ts';
import { loadTasks, tasksUsed } from './tasks.ts';
import { addRecords, forgetRecords, refreshRecords, showRecords } from './today.ts';

const AGES_MS = 30_000;
const SIDE_MS = 5 * 60_000;
const SECTIONS = ['need', 'now', 'tasks', 'today', 'day'];

const state = byId('state', HTMLElement);
let endMissing = () => {};

const STATES: Readonly<Record<LinkState, string>> = {
  connected: 'Connected to this desk.',
  replaced: 'Deskside is open in newer tabs. Load this one again to use it.',
  lost: 'The desk does not answer. Looking for it… If it has ended, run “deskside open” in a terminal.',
  refused: 'This page is no longer valid. Run “deskside open” in a terminal for a new one.',
};

function showState(next: LinkState): void {
  state.textContent = STATES[next];
  state.classList.toggle('broken', next !== 'connected');
  if (next !== 'connected') return;
  endMissing = reconnect();
  forgetRecords();
  void loadSide();
}

async function loadSide(): Promise<void> {
  await Promise.all([loadTasks(), loadDay()]);
}

function receive(event: PageEvent): void {
  switch (event.type) {
    case 'item':
      return showItem(event.item);
    case 'ended':
      return endItem(event.id, event.outcome, event.via);
    case 'records':
      if (event.records.some(({ mount, outcome }) => mount === 'todo' && outcome !== undefined)) tasksUsed();
      return addRecords(event.records, event.areEarlier);
    case 'clients':
      return showClients(event.clients);
    case 'ready':
      endMissing();
      return showRecords();
    case 'replaced':
    case 'ping':
  }
}

toggle(byId('keys-button', HTMLElement), byId('keys', HTMLElement));

document.addEventListener('keydown', (event) => {
  const { target, key, code } = event;
  if (event.ctrlKey || event.altKey || event.metaKey || isOfInputMethod(event)) return;
  if (target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select')) {
    // The text stays in the box.
    if (key === 'Escape') target.blur();
    return;
  }
  const section = SECTIONS[Number(key) - 1];
  // Keyboards of other scripts write another letter with the same key.
  if (key === 'n' || (key > '~' && code === 'KeyN')) focusNext();
  else if (key === '/') byId('search', HTMLInputElement).focus();
  else if (section !== undefined) byId(section, HTMLElement).focus();
  else return;
  event.preventDefault();
});

setInterval(() => {
  refreshAges();
  drawNow();
  refreshRecords();
}, AGES_MS);
setInterval(() => void loadSide(), SIDE_MS);
await redeemLink();
await followDesk(receive, showState);
