import { type AgUiEvent, agUiStart, readAgUiEvent } from '@deskside/toaster/ag-ui';
import '@deskside/toaster';

/** Messages that the scripted agent knows. */
const examples = ['Deploy the workflow', 'Run the tests', 'What did we spend?', 'Any new agent?', 'Flood me'];

const toaster = find('deskside-toaster');
const chat = find('#chat');
let memory = agUiStart;

/** All that a chat has to do: pass on every event, and whether it is live. */
function read(event: AgUiEvent & Record<string, unknown>, live: boolean): void {
  const step = readAgUiEvent(memory, event, { live });
  memory = step.memory;
  for (const toast of step.toasts) toaster.show(toast);
  const { type, delta, message, content } = event;
  if (type === 'USER') say('person', String(message));
  else if (type === 'TEXT_MESSAGE_CONTENT') say('agent', String(delta));
  else if (type === 'TOOL_CALL_ARGS') say('call', `show_notification ${String(delta)}`);
  else if (type === 'TOOL_CALL_RESULT' && String(content).includes('"isError":true'))
    say('call', errorText(String(content)));
}

function errorText(content: string): string {
  const result: { content: { text: string }[] } = JSON.parse(content);
  return result.content.map(({ text }) => text).join(' ');
}

/** The person clicked a prompt action: its prompt is sent as their message. */
toaster.addEventListener('deskside-prompt', (event) => void send(event.detail.prompt));

async function send(message: string): Promise<void> {
  say('person', message);
  await follow('/answer', { message });
}

async function follow(path: string, body: unknown): Promise<void> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (text + chunk).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) read(JSON.parse(event.slice('data: '.length)), true);
  }
}

function say(who: 'person' | 'agent' | 'call', text: string): void {
  const item = document.createElement('li');
  item.className = who;
  item.textContent = text;
  chat.append(item);
}

function find(selector: 'deskside-toaster'): HTMLElementTagNameMap['deskside-toaster'];
function find(selector: string): HTMLElement;
function find(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector);
  if (found === null) throw new Error(`no ${selector}`);
  return found;
}

function fieldsOf(form: EventTarget | null): Record<string, string> {
  if (!(form instanceof HTMLFormElement)) return {};
  return Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value : '']),
  );
}

find('#send').addEventListener('submit', (event) => {
  event.preventDefault();
  const { message = '' } = fieldsOf(event.target);
  if (message.trim() !== '') void send(message);
  if (event.target instanceof HTMLFormElement) event.target.reset();
});

find('#call').addEventListener('submit', (event) => {
  event.preventDefault();
  const { actions = '', ...args } = fieldsOf(event.target);
  void follow('/call', { ...args, ...(actions.trim() === '' ? {} : { actions: JSON.parse(actions) }) });
});

for (const [text, click] of [
  ...examples.map((message) => [message, () => void send(message)] as const),
  ['Notification center', () => toaster.openCenter()] as const,
]) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = text;
  button.addEventListener('click', click);
  find('#examples').append(button);
}

for (const event of await (await fetch('/history')).json()) read(event, false);
