import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@deskside/core/base';
import { StartError } from '@deskside/core/errors';
import type { Client, Hooks, Place } from './client.ts';
import { type FileChange, planEdit } from './config-file.ts';
import { editItems, itemsIn } from './json-file.ts';
import { commandLine } from './programs.ts';
import { parsed } from './toml-file.ts';

/** How every command ends that is a hook of Deskside. */
const ARGUMENTS = ['send', '--hook'] as const;

export interface HooksRequest {
  /** undefined leaves what is there. */
  readonly areWanted: boolean | undefined;
  /** How this program is started. */
  readonly program: readonly string[];
}

/** @returns undefined if nothing changes */
export async function planHooks(
  { hooks, file, title }: Client,
  place: Place,
  { areWanted, program }: HooksRequest,
): Promise<FileChange | undefined> {
  if (hooks === undefined || areWanted === undefined) return undefined;
  const path = hooks.kind === 'json' ? hooks.file(place) : file(place);
  const words = areWanted ? [...program, ...ARGUMENTS] : undefined;
  const change = await planEdit(path, (text) =>
    hooks.kind === 'json' ? inJson(text, hooks, place, words) : inToml(text, hooks.key, title, words),
  );
  return change.after === (change.before ?? '') ? undefined : change;
}

/** As a person reads it. */
export function shownHooks(hooks: Hooks, { program }: HooksRequest): string {
  const [first = '', ...rest] = program;
  const command = commandLine(first, [...rest, ...ARGUMENTS]);
  return hooks.kind === 'json' ? `${hooks.events.join(', ')}: ${command}` : `${hooks.key}: ${command}`;
}

/** @param words undefined removes ours */
function inJson(
  text: string,
  { events }: Extract<Hooks, { kind: 'json' }>,
  { platform }: Place,
  words: readonly string[] | undefined,
): string {
  const [program = '', ...args] = words ?? [];
  const command = commandLine(program, args, platform);
  const wanted = words === undefined ? [] : [{ hooks: [{ type: 'command', command }] }];
  return events.reduce((before, event) => {
    const path = ['hooks', event];
    const own = itemsIn(before, path).filter(isOwn);
    if (isDeepStrictEqual(own, wanted)) return before;
    const others = own.length === 0 ? before : editItems(before, path, own, false);
    const kept = own.flatMap(withoutOwn);
    const rest = kept.length === 0 ? others : editItems(others, path, kept, true);
    return wanted.length === 0 ? rest : editItems(rest, path, wanted, true);
  }, text);
}

function isOwn(item: unknown): boolean {
  return hooksIn(item).some(isOwnHook);
}

/** The person may have hooks in the same group. */
function withoutOwn(item: unknown): readonly unknown[] {
  const hooks = hooksIn(item).filter((hook) => !isOwnHook(hook));
  return isObject(item) && hooks.length > 0 ? [{ ...item, hooks }] : [];
}

function hooksIn(item: unknown): readonly unknown[] {
  return isObject(item) && Array.isArray(item['hooks']) ? item['hooks'] : [];
}

function isOwnHook(hook: unknown): boolean {
  return isObject(hook) && String(hook['command']).endsWith(` ${ARGUMENTS.join(' ')}`);
}

/** A key before all tables. The program of a person stays. */
function inToml(text: string, key: string, title: string, words: readonly string[] | undefined): string {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const body = text.slice(bom.length);
  const present = parsed(body)[key];
  const isOurs =
    Array.isArray(present) && isDeepStrictEqual(present.slice(-ARGUMENTS.length), [...ARGUMENTS]);
  if (present !== undefined && !isOurs) {
    if (words === undefined) return text;
    throw new StartError(
      `${title} has another program in "${key}". Remove it first, or call ${ARGUMENTS.join(' ')} from it.`,
    );
  }
  const line = new RegExp(String.raw`^${key}[ \t]*=[ \t]*\[[^\n]*\][ \t]*\r?\n`, 'm');
  const others = isOurs ? body.replace(line, '') : body;
  if (isOurs && key in parsed(others))
    throw new StartError(`Line "${key}" cannot be removed. Edit the file yourself.`);
  const eol = body.includes('\r\n') ? '\r\n' : '\n';
  const added = words === undefined ? '' : `${key} = ${JSON.stringify(words)}${eol}`;
  return `${bom}${added}${others}`;
}
