import { completeTask, get } from './connection.ts';
import { dateOf } from './day.ts';
import { byId, element, foreign } from './dom.ts';
import type { PageTask, PageTasks } from './protocol.ts';

const section = byId('tasks', HTMLElement);
const list = byId('task-list', HTMLUListElement);
const note = byId('task-note', HTMLElement);

/** Several calls of agents need one look. */
const SOON_MS = 1000;

let more = '';
/** What the list shows, and on which day. */
let drawn = '';
let soon: number | undefined;

/** An agent has used the tasks. */
export function tasksUsed(): void {
  soon ??= setTimeout(() => {
    soon = undefined;
    void loadTasks();
  }, SOON_MS);
}

export async function loadTasks(): Promise<void> {
  const answer = await get<PageTasks>('/tasks');
  section.hidden = answer === undefined;
  if (answer === undefined) return;
  // A press may be under way.
  const text = `${dateOf(new Date())} ${JSON.stringify(answer)}`;
  if (text === drawn) return;
  drawn = text;
  const ids = [...list.querySelectorAll('input')].map(({ id }) => id);
  const at = ids.indexOf(document.activeElement?.id ?? '');
  list.replaceChildren(...answer.tasks.map(taskNode));
  if (at !== -1) {
    // The same task, or the nearest one that is left.
    const near = [...ids.slice(at), ...ids.slice(0, at).toReversed()].map((id) =>
      document.getElementById(id),
    );
    (near.find((box) => box !== null) ?? section).focus();
  }
  more = answer.more === 0 ? '' : `${answer.more} more.`;
  note.textContent = more;
}

function taskNode({ id, title, due, every, holder }: PageTask): HTMLElement {
  const box = element('input', '');
  box.type = 'checkbox';
  box.id = `task-${id}`;
  const text = foreign('span', '', title);
  const details = [...dueText(due), ...seriesText(every), ...holderText(holder)];
  const node = element('li', '', element('label', '', box, element('span', '', text, ...details)));
  // A box that is disabled would lose the focus.
  box.addEventListener('click', (event) => {
    if (box.ariaDisabled !== null) event.preventDefault();
  });
  box.addEventListener('change', () => void finish());

  async function finish(): Promise<void> {
    box.ariaDisabled = 'true';
    const done = await completeTask(id);
    box.ariaDisabled = null;
    if (done === undefined) {
      box.checked = false;
      node.append(element('span', 'late', ' This task cannot be completed now.'));
      return;
    }
    await loadTasks();
    const { due: nextDue } = done.next ?? {};
    const next = nextDue === undefined ? '' : `The next one is due ${nextDue}. `;
    note.textContent = `Done. ${next}${more}`.trim();
  }

  return node;
}

function seriesText(every: string | undefined): readonly Node[] {
  return every === undefined ? [] : [element('span', 'soft', ` every ${every}`)];
}

function holderText(holder: PageTask['holder']): readonly Node[] {
  const end = new Date(holder?.until ?? 0);
  if (holder === undefined || end.getTime() <= Date.now()) return [];
  return [
    element(
      'span',
      'soft',
      ' ',
      foreign('bdi', '', holder.label),
      ` works on it until ${end.toTimeString().slice(0, 5)}`,
    ),
  ];
}

function dueText(due: string | undefined): readonly (string | Node)[] {
  if (due === undefined) return [];
  const date = dateOf(new Date());
  if (due > date) return [' ', element('span', 'due soft', `due ${due}`)];
  return [' ', element('strong', 'due late', due === date ? 'due today' : `was due ${due}`)];
}
