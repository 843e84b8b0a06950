import { completeTask, get } from './connection.ts';
import { dateOf } from './day.ts';
import { byId, element, foreign } from './dom.ts';
import type { PageTask, PageTasks } from './protocol.ts';

const section = byId('tasks', HTMLElement);
const list = byId('task-list', HTMLUListElement);
const note = byId('task-note', HTMLElement);

let more = '';

export async function loadTasks(): Promise<void> {
  const answer = await get('/tasks');
  section.hidden = !isTasks(answer);
  if (!isTasks(answer)) return;
  list.replaceChildren(...answer.tasks.map(taskNode));
  more = answer.more === 0 ? '' : `${answer.more} more.`;
  note.textContent = more;
}

function isTasks(answer: unknown): answer is PageTasks {
  return typeof answer === 'object' && answer !== null && 'tasks' in answer && Array.isArray(answer.tasks);
}

function taskNode({ id, title, due, every }: PageTask): HTMLElement {
  const box = element('input', '');
  box.type = 'checkbox';
  const text = foreign('span', '', title);
  const node = element(
    'li',
    '',
    element('label', '', box, element('span', '', text, ...dueText(due), ...seriesText(every))),
  );
  box.addEventListener('change', () => void finish());

  async function finish(): Promise<void> {
    box.disabled = true;
    const done = await completeTask(id);
    box.disabled = false;
    if (done === undefined) {
      box.checked = false;
      node.append(element('span', 'late', ' This task cannot be completed now.'));
      return;
    }
    await loadTasks();
    const { due: nextDue } = done.next ?? {};
    if (nextDue !== undefined) note.textContent = `Done. The next one is due ${nextDue}. ${more}`.trim();
  }

  return node;
}

function seriesText(every: string | undefined): readonly Node[] {
  return every === undefined ? [] : [element('span', 'soft', ` every ${every}`)];
}

function dueText(due: string | undefined): readonly Node[] {
  if (due === undefined) return [];
  const date = dateOf(new Date());
  if (due > date) return [element('span', 'soft', ` ${due}`)];
  return [element('strong', 'late', due === date ? ' due today' : ` was due ${due}`)];
}
