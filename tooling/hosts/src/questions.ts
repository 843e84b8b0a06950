import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '@deskside/core/testing';
import { type Desktop, openDesktop, waitFor } from '@deskside/notify-popup/testing/desktop';
import { configure, DESK, driven, endLeftovers, installed, run, userIn } from './drive.ts';
import type { Host } from './hosts.ts';
import { type Got, scriptedModel } from './scripted-model.ts';

/** 2.5, 6 and 12 minutes. */
export const QUESTION_SECONDS: readonly number[] = [150, 360, 720];
const START_LIMIT_MS = 120_000;
const ANSWER_LIMIT_MS = 20_000;
const PROMPTS = 5;
const PROMPT_MS = 15_000;
const EXCERPT_CHARACTERS = 300;
const REASON = 'use staging';
/** A window that has just opened takes no key. */
const READING_MS = 5000;

/**
 * One question after the other in one conversation, after `deskside connect`, each with a person at the window. A host
 * that waits in another way in a terminal runs in one, on the same screen. Needs Debian's xterm and what the popup's own
 * tests need.
 *
 * @returns per question when the model read the answer, or what it read instead
 * @throws Error if it read nothing
 */
export async function measureQuestions(host: Host): Promise<Readonly<Record<string, string>>> {
  const program = await installed(host);
  using folder = temporaryFolder();
  const home = folder.path;
  const project = join(home, 'my-project');
  mkdirSync(project);
  await using desktop = await openDesktop(home);
  await using model = await scriptedModel(
    QUESTION_SECONDS.map((seconds) => ({
      tool: 'popup_notify',
      args: { message: `Which color? (${seconds} s)`, options: ['Red', 'Blue'] },
    })),
    true,
  );
  const setting = { home, project, model: model.url, server: undefined, isAllowed: false, isAwaited: false };
  configure(host, setting);
  const user = userIn(home, screenOf(desktop));
  const env = { ...user, PATH: `${dirname(program)}:${user['PATH']}` };
  // The entry then starts this clone.
  const clone = { ...env, npm_lifecycle_event: 'start', npm_package_name: 'deskside-workspace' };
  const connect = [DESK, 'connect', host.id, '--allow'];
  const connected = await run(process.execPath, connect, clone, project, START_LIMIT_MS);
  const [command, ...args] =
    host.terminalArgs === undefined
      ? [program, ...host.args(setting)]
      : ['xterm', '-geometry', '120x60+0+0', '-e', program, ...host.terminalArgs(setting)];
  const limitMs = QUESTION_SECONDS.reduce((sum, seconds) => sum + seconds * 1000 + START_LIMIT_MS, 0);
  const ended = run(command, args, { ...env, ...host.env?.(setting) }, project, limitMs);
  try {
    const { got } = model.conversation;
    // Codex in a terminal sends the first prompt before its servers have started.
    for (let tries = 0; host.terminalArgs !== undefined && tries < PROMPTS; tries += 1) {
      const window = waitFor(() => desktop.popup() !== undefined, 'a window', PROMPT_MS);
      const [shown] = await Promise.allSettled([window]);
      if (shown.status === 'fulfilled') break;
      desktop.type('Again.');
      desktop.key('Return');
    }
    for (const [index, seconds] of QUESTION_SECONDS.entries()) await answer(desktop, got, index, seconds);
    return Object.fromEntries(
      QUESTION_SECONDS.map((seconds, index) => [String(seconds), readAs(got[index], seconds)]),
    );
  } catch (error) {
    throw new Error(`${String(error)}\n${connected}`, { cause: error });
  } finally {
    endLeftovers(home);
    await ended;
  }
}

/** A call that the person denies in the window, with a reason. @returns whether the model reads both. @throws Error if it reads nothing */
export async function measureDenial(host: Host): Promise<string> {
  using home = temporaryFolder();
  await using desktop = await openDesktop(home.path);
  const script = [{ tool: 'sample_remove', args: { name: 'first' } }];
  const running = driven(host, script, START_LIMIT_MS * 2, { screen: screenOf(desktop) });
  const deny = async () => {
    await waitFor(() => desktop.popup()?.title === 'Deskside: allow a call?', 'a window', START_LIMIT_MS);
    await desktop.popupHasKeyboard();
    await sleep(READING_MS);
    desktop.type(REASON);
    desktop.key('Return');
    // Else the person of this bench has not answered, whatever the host then does.
    await waitFor(() => desktop.popup() === undefined, 'the window closes', ANSWER_LIMIT_MS);
  };
  const [{ got, output }] = await Promise.all([running, deny()]);
  const result = got[0]?.result;
  if (result === undefined) throw new Error(`its model read no answer of the denied call: ${output}`);
  const isWhole = ['DENIED', REASON, 'Do not try it another way'].every((part) => result.includes(part));
  return isWhole ? 'yes' : `**${result.slice(0, EXCERPT_CHARACTERS)}**`;
}

/** A tool of a server behind the desk, found by `find_tools` and called by `call_tool`. @returns whether the model reads both. @throws Error if the host makes only one call */
export async function measureSearch(host: Host): Promise<string> {
  const script = [
    { tool: 'find_tools', args: { query: 'list of the bench' } },
    { tool: 'call_tool', args: { name: 'sample_list', arguments: {} } },
  ];
  const { got, output } = await driven(host, script, START_LIMIT_MS, { profile: 'search' });
  const [found, listed] = got.map(({ result }) => result);
  if (found === undefined || listed === undefined) throw new Error(`it did not make both calls: ${output}`);
  const isWhole = found.includes('sample_list') && listed.includes('second');
  return isWhole ? 'yes' : `**${`${found} ${listed}`.slice(0, EXCERPT_CHARACTERS)}**`;
}

function screenOf({ env: { DISPLAY = '', XAUTHORITY = '' } }: Desktop) {
  return { DISPLAY, XAUTHORITY };
}

/** A person who types after so many seconds, if the host still waits. */
async function answer(desktop: Desktop, got: readonly Got[], index: number, seconds: number): Promise<void> {
  const isOver = () => got.length > index;
  await waitFor(() => isOver() || desktop.popup() !== undefined, 'a window', START_LIMIT_MS);
  const due = performance.now() + seconds * 1000;
  await waitFor(() => isOver() || performance.now() > due, 'time', seconds * 1000 + ANSWER_LIMIT_MS);
  if (isOver()) return;
  await desktop.popupHasKeyboard();
  desktop.type(`Green after ${seconds} s`);
  desktop.key('Return');
  await waitFor(isOver, `the answer after ${seconds} s`, ANSWER_LIMIT_MS);
  await waitFor(() => desktop.popup() === undefined, 'the window closes');
}

function readAs(read: Got | undefined, seconds: number): string {
  if (read === undefined) throw new Error(`its model read no answer after ${seconds} s`);
  if (read.result.includes(`User response: Green after ${seconds} s`)) return `${read.seconds} s`;
  return `${read.seconds} s: ${read.result.slice(0, EXCERPT_CHARACTERS)}`;
}
