import { completeTask, get } from './connection.ts';
import { dateOf } from './day.ts';
import { byId, element, foreign } from './dom.ts';
import type { PageTask, PageTasks } from './protocol.ts';

const SHOWN = 12;

const section = byId('tasks', HTMLElement);
const list = byId('task-list', HTMLUListElement);
const note = byId('task-note', HTMLElement);

export async function loadTasks(): Promise<void> {
  const answer = await get('/tasks');
  section.hidden = !isTasks(answer);
  if (!isTasks(answer)) return;
  const hidden = answer.tasks.length - Math.min(answer.tasks.length, SHOWN) + answer.more;
  list.replaceChildren(...answer.tasks.slice(0, SHOWN).map(taskNode));
  note.textContent = hidden === 0 ? '' : `${hidden} more.`;
}

function isTasks(answer: unknown): answer is PageTasks {
  return typeof answer === 'object' && answer !== null && 'tasks' in answer && Array.isArray(answer.tasks);
}

function taskNode({ id, title, due }: PageTask): HTMLElement {
  const box = element('input', '');
  box.type = 'checkbox';
  const text = foreign('span', '', title);
  const node = element('li', '', element('label', '', box, element('span', '', text, ...dueText(due))));
  box.addEventListener('change', () => void finish());

  async function finish(): Promise<void> {
    box.disabled = true;
    const isDone = await completeTask(id);
    if (isDone) await loadTasks();
    else node.append(element('span', 'late', ' This task cannot be completed now.'));
    box.disabled = false;
    if (!isDone) box.checked = false;
  }

  return node;
}

function dueText(due: string | undefined): readonly Node[] {
  if (due === undefined) return [];
  const date = dateOf(new Date());
  if (due > date) return [element('span', 'soft', ` ${due}`)];
  return [element('strong', 'late', due === date ? ' due today' : ` was due ${due}`)];
}
