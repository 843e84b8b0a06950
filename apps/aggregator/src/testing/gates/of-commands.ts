import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { latestRecord, openUserJournal } from '@deskside/desktop';
import { silentLog } from '@deskside/core';
import { folders } from '@deskside/core/program';
import { foreignServer } from '@deskside/gateway/testing/foreign-server';
import type { PersonsSession } from '@deskside/notify-popup';
import { deskPlace, greetDesk } from '../../attach/protocol.ts';
import { add } from '../../commands/add.ts';
import { apply } from '../../commands/apply.ts';
import { open } from '../../commands/ask-desk.ts';
import { rulesAllow, rulesRemove } from '../../commands/rules.ts';
import { tokenCreate, tokenRotate } from '../../commands/token.ts';
import { ruleStore } from '../../open-desk.ts';
import { tokenStore } from '../../tokens/tokens.ts';
import { loadConfig } from '../../config/load.ts';
import { type Ran, runCommand, type RunOptions, SELF } from '../commands.ts';
import { deskHome } from '../desk-home.ts';
import { runningDesk } from '../running-desk.ts';
import { answered } from '../terminal-program.ts';
import { userHome } from '../user-home.ts';
import type { Trial } from './table.ts';

/** A display where no window can open: what is tried there fails, and names it. */
const SESSION: PersonsSession = {
  display: ':77',
  desktop: { pid: process.pid, env: { DISPLAY: ':77' } },
};
const tools = [
  { name: 'pay', inputSchema: { type: 'object' }, annotations: { destructiveHint: true } },
] as const;

interface Tried extends Ran {
  readonly isAccepted: boolean;
}

type Command = (options: RunOptions) => Promise<Tried>;

/** A server that nobody has accepted is added. */
const listing: Command = async (options) => {
  userHome();
  const { url } = await foreignServer(tools);
  const ran = await runCommand(add, { ...options, operands: ['shop', url] });
  return { ...ran, isAccepted: (await loadConfig(undefined))?.config.external['shop'] !== undefined };
};

/** Agents are asked about nothing from now on. */
const loosening: Command = async (options) => {
  userHome().edit('approvals = "off"\n');
  const ran = await runCommand(apply, options);
  return { ...ran, isAccepted: (await loadConfig(undefined))?.config.approvals === 'off' };
};

const RULE = { mount: 'shop', tool: 'pay', user: 'owner', transport: 'stdio' } as const;

/** A call is always allowed. */
const allowing: Command = async (options) => {
  userHome();
  const { url } = await foreignServer(tools);
  await runCommand(add, { ...yes, operands: ['shop', url] });
  const flags = { ...options.flags, arguments: '{}' };
  const ran = await runCommand(rulesAllow, { ...options, flags, operands: ['shop', 'pay'] });
  return { ...ran, isAccepted: (await ruleStore().list()).length > 0 };
};

/** A call is no longer denied. */
const noLongerDenying: Command = async (options) => {
  userHome();
  const { id } = await ruleStore().add({ ...RULE, word: 'deny' });
  const ran = await runCommand(rulesRemove, { ...options, operands: [id] });
  return { ...ran, isAccepted: (await ruleStore().list()).length === 0 };
};

/** A program gets a token whose calls ask about nothing. */
const creating: Command = async (options) => {
  userHome();
  const flags = { ...options.flags, approvals: 'off' };
  const ran = await runCommand(tokenCreate, { ...options, flags, operands: ['ci'] });
  return { ...ran, isAccepted: (await tokenStore().list()).length > 0 };
};

const rotating: Command = async (options) => {
  userHome();
  await tokenStore().create({ name: 'ci', approvals: 'off' });
  const ran = await runCommand(tokenRotate, { ...options, operands: ['ci'] });
  return { ...ran, isAccepted: ran.stdout.includes('deskside_') };
};

const COMMANDS = {
  'what a server lists': [listing],
  'what lets agents do more': [loosening, allowing, noLongerDenying, creating, rotating],
} as const;
type Commanded = keyof typeof COMMANDS;

const yes = { flags: { yes: true } };
const isRefused = ({ isAccepted }: Tried) => !isAccepted;
const namesDisplay = ({ stderr }: Tried) => stderr.includes(':77');

/** Whether it holds for each command with such a decision. */
async function holds(
  decision: Commanded,
  options: RunOptions,
  gate: (tried: Tried) => boolean,
): Promise<boolean> {
  for (const command of COMMANDS[decision]) if (!gate(await command(options))) return false;
  return true;
}

/** Commands that an agent runs, with and without a display of its own. */
function withEnvironments(decision: Commanded, gate: (tried: Tried) => boolean): Trial {
  return async () => {
    for (const DISPLAY of ['', ':9'])
      if (!(await holds(decision, { env: { DISPLAY }, session: SESSION, typed: 'y\n' }, gate))) return false;
    return true;
  };
}

/** What a command does before its window is open, and without one. */
export const windowOf = (decision: Commanded, options: RunOptions = {}) => ({
  'on the display of the person': () => holds(decision, { ...options, session: SESSION }, namesDisplay),
  'fails closed': () => holds(decision, { ...options, session: SESSION, typed: 'y\n' }, isRefused),
});

export const environmentOf = (decision: Commanded) => ({
  'the person is asked': withEnvironments(decision, isRefused),
  'on the display of the person': withEnvironments(decision, namesDisplay),
});

/** `--yes`, where the person is logged in at a screen. */
export const optionOf = (decision: Commanded) => ({
  'the person is asked': () => holds(decision, { ...yes, session: SESSION }, isRefused),
});

export const optionAndWindowOf = (decision: Commanded) => ({
  ...optionOf(decision),
  ...windowOf(decision, yes),
});

export const terminalOf = (decision: Commanded, args: readonly string[]) => ({
  // Each line was printed, and more of them than a terminal shows.
  'all of it was in view': () => holds(decision, { typed: 'y\n' }, isRefused),
  'Enter never allows': () => holds(decision, { typed: '\n' }, isRefused),
  async 'a press for something else'() {
    const desk = deskHome();
    const { url } = await foreignServer(tools);
    const folder = join(desk.home, 'config/deskside');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'deskside.toml'), 'approvals = "off"\n');
    const words = args.map((word) => (word === 'URL' ? url : word));
    return (await answered(desk, words, ['n\n'], { typed: 'y\n' })).code !== 0;
  },
  'the person is asked': () => holds(decision, { session: SESSION, typed: 'y\n' }, isRefused),
  'on the display of the person': () => holds(decision, { session: SESSION, typed: 'y\n' }, namesDisplay),
  'fails closed': () => holds(decision, { typed: '' }, isRefused),
});

/** A command asks in its own window, also while a desk with a page is running. */
export const onPageOfDesk = (decision: Commanded) => async (): Promise<boolean> => {
  const { popup } = await runningDesk();
  const isKept = await holds(decision, { session: SESSION, typed: 'y\n' }, isRefused);
  return isKept && popup.seen.length === 0 && popup.windows.length === 0;
};

/** The page opens nowhere but where the person is logged in, and no link is given out. */
export async function pageElsewhere(): Promise<boolean> {
  await runningDesk();
  const { code, stdout, stderr } = await runCommand(open(SELF), { env: { DISPLAY: ':9' }, typed: 'y\n' });
  return code !== 0 && !/http|#/.test(stdout + stderr);
}

/** Whatever a program of this user sends to the desk that is no session. */
export async function onSocket(): Promise<boolean> {
  await runningDesk();
  const { record } = latestRecord(deskPlace(folders().data, SELF));
  if (record === undefined) return false;
  for (const kind of ['open', 'allow', 'answer', 'accept', 'apply', 'login', 'token']) {
    const introduction = { kind, protocol: 1, version: SELF.version, env: { DISPLAY: ':9' } } as never;
    const greeting = await greetDesk(record, introduction, new AbortController().signal);
    greeting?.socket.destroy();
    if (/http|#|allowed|token/.test(JSON.stringify(greeting?.answer ?? ''))) return false;
  }
  await using journal = openUserJournal(silentLog);
  const decided = await journal.records({ kind: 'approval' });
  return decided.every(({ outcome }) => outcome !== 'allowed');
}
