/**
 * Runs with Node.js for Windows, which loads it without a build: several programs `deskside` at once, and what each of
 * them says. Under wine only other Windows programs can use their pipes, so this program is their client.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** What `deskside status` says. */
interface Status {
  readonly version: string;
  readonly sessions: readonly { readonly name: string }[];
}

export type WindowsDesk = Awaited<ReturnType<typeof report>>;

const [, , bin = '', nextBin = '', server = '', output = ''] = process.argv;
const LIMIT_MS = 30_000;
const POLL_MS = 20;

async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`${what} takes too long`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function ended(pid: number): Promise<void> {
  return until(`the end of process ${pid}`, () => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  });
}

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'wine', version: '1' },
};

interface Answer {
  readonly id?: number;
  readonly result?: { readonly content?: readonly { readonly text: string }[] };
}

/** A program `deskside`, with a client that speaks lines of JSON. */
class Deskside {
  readonly child: ChildProcess;
  #text = '';
  #lastId = 0;

  constructor(program: string, ...args: readonly string[]) {
    this.child = spawn(process.execPath, [program, ...args], { windowsHide: true });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#text += text));
    }
  }

  async ran() {
    await once(this.child, 'close');
    return { code: this.child.exitCode, text: this.#text };
  }

  /** Sends a request and returns its id. */
  send(method: string, params: object): number {
    this.#lastId += 1;
    this.#write({ id: this.#lastId, method, params });
    return this.#lastId;
  }

  call(name: string, args: object = {}): number {
    return this.send('tools/call', { name, arguments: args });
  }

  async answered(id: number): Promise<string> {
    await until('an answer', () => this.answer(id) !== undefined);
    return this.answer(id) ?? '';
  }

  /** The text of a tool's answer, if it came. */
  answer(id: number): string | undefined {
    const lines = this.#text.split('\n').slice(0, -1);
    const answers = lines.filter((line) => line.startsWith('{')).map((line): Answer => JSON.parse(line));
    const result = answers.find((each) => each.id === id)?.result;
    return result && (result.content?.[0]?.text ?? '');
  }

  begin(): this {
    this.send('initialize', INITIALIZE);
    this.#write({ method: 'notifications/initialized' });
    return this;
  }

  #write(message: object): void {
    this.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}

const run = (...args: readonly string[]) => new Deskside(bin, ...args).ran();
const client = (name: string, program = bin) =>
  new Deskside(program, 'stdio', '--attach-timeout', '30', '--as', name).begin();
const statusOf = async (): Promise<Status> => JSON.parse((await run('status', '--json')).text);

function record(): { readonly address: string; readonly pid: number } {
  const folder = join(process.env['LOCALAPPDATA'] ?? '', 'deskside/Data/desk');
  return JSON.parse(readFileSync(join(folder, readdirSync(folder).toSorted().at(-1) ?? ''), 'utf8'));
}

async function report() {
  const added = await run('add', 'fake', '--yes', '--', process.execPath, server, 'stubborn');
  if (added.code !== 0) throw new Error(added.text);
  const first = client('first');
  await first.answered(first.call('todo_add_task', { user_id: 'me', title: 'Süß ✓' }));
  const second = client('second');
  const tasks = await second.answered(second.call('todo_list_tasks', { user_id: 'me' }));
  const { sessions } = await statusOf();
  const shared = { status: (await run('status')).text, sessions, tasks };

  // The server must run already: a client that ends its input waits for 1.5 s.
  await first.answered(first.call('fake_pid'));
  const brief = client('brief');
  await brief.answered(brief.send('tools/list', {}));
  const late = brief.call('fake_late');
  brief.child.stdin?.end();
  await brief.ran();
  const lateAnswer = brief.answer(late) ?? '';

  const former = record().pid;
  const third = client('third', nextBin);
  await third.answered(third.send('tools/list', {}));
  await ended(former);
  for (const each of [first, second]) await each.answered(each.call('todo_list_tasks', { user_id: 'me' }));
  const next = await statusOf();

  const afterCrash = await crash(first, second);

  const fake = Number(await first.answered(first.call('fake_pid')));
  const { pid } = record();
  const stopped = await run('stop');
  await ended(pid);
  await ended(fake);
  const taken = await takePipe();
  for (const { child } of [first, second, third]) child.kill();
  return { shared, lateAnswer, next, afterCrash, stopped, taken };
}

/** What two clients of a desk that was killed get. */
async function crash(...clients: readonly [Deskside, Deskside]): Promise<string[]> {
  const [first] = clients;
  const fake = Number(await first.answered(first.call('fake_pid')));
  const { pid } = record();
  process.kill(pid);
  await ended(pid);
  await ended(fake);
  const answers: string[] = [];
  for (const each of clients) {
    // A client that does not yet know of the crash sends this once more, and a call not.
    await each.answered(each.send('tools/list', {}));
    answers.push(await each.answered(each.call('fake_late')));
  }
  return answers;
}

/** After another program took the name of the pipe of the stopped desk. */
async function takePipe() {
  let caught = '';
  const other = createServer((socket) => socket.on('data', (data) => (caught += String(data))));
  other.listen(record().address);
  await once(other, 'listening');
  const status = await run('status');
  other.close();
  return { status, caught };
}

await report().then(
  (desk) => writeFileSync(output, JSON.stringify(desk)),
  (error: unknown) => process.stdout.write(error instanceof Error ? `${error.stack}` : String(error)),
);
process.exit();
