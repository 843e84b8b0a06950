import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isObject } from '@deskside/core/base';
import { firstCodePoints } from '@deskside/core/text';
import { durationText } from '../delivery/summary.ts';
import type { NotificationInput } from '../notification/notification.ts';

const MAX_TEXT_CODE_POINTS = 400;

type Fields = Readonly<Record<string, unknown>>;

/** What a host said, as a notification: its title says who and what. */
export type HostEvent = NotificationInput & { readonly title: string };

/**
 * Reads what a host passes to its hooks: Claude Code on standard input, Codex as the last argument of `notify`.
 *
 * @returns undefined for an event that says nothing new to the person
 * @throws SyntaxError if it is not JSON
 */
export function readHostEvent(json: string, atMs: number): HostEvent | undefined {
  const event: unknown = JSON.parse(json);
  if (!isObject(event)) return undefined;
  if (event['type'] === 'agent-turn-complete') return codexTurn(event);
  switch (event['hook_event_name']) {
    case 'Stop':
      return claudeStop(event, atMs);
    case 'PermissionRequest':
      return claudePermission(event);
    case 'Notification':
      return claudeNotification(event);
    default:
      return undefined;
  }
}

function codexTurn(event: Fields): HostEvent {
  const said = textIn(event, 'last-assistant-message');
  return {
    ...from('Codex', textIn(event, 'cwd'), textIn(event, 'thread-id'), 'has finished'),
    context: 'turn',
    message: said ?? 'It waits for you.',
  };
}

function claudeStop(event: Fields, atMs: number): HostEvent {
  const startMs = turnStart(textIn(event, 'transcript_path'));
  const time = startMs === undefined ? '' : ` after ${durationText(atMs - startMs)}`;
  return {
    ...fromClaude(event, `has finished${time}`),
    context: 'turn',
    message: textIn(event, 'last_assistant_message') ?? 'It waits for you.',
  };
}

function claudePermission(event: Fields): HostEvent {
  const input = event['tool_input'];
  const details = isObject(input)
    ? ['command', 'file_path', 'url', 'query', 'plan', 'description'].map((name) => textIn(input, name))
    : [];
  const detail = details.find((each) => each !== undefined) ?? JSON.stringify(input ?? {});
  return {
    ...fromClaude(event, 'asks for permission'),
    context: 'permission',
    message: firstCodePoints(`${textIn(event, 'tool_name') ?? 'A tool'}: ${detail}`, MAX_TEXT_CODE_POINTS),
  };
}

/** The other two hooks say earlier that it asks for permission, or that it has finished. */
function claudeNotification(event: Fields): HostEvent | undefined {
  const type = textIn(event, 'notification_type');
  const message = textIn(event, 'message');
  const isKnown =
    type === undefined
      ? /permission|waiting for your input/i.test(message ?? '')
      : ['permission_prompt', 'idle_prompt'].includes(type);
  if (isKnown || message === undefined) return undefined;
  return { ...fromClaude(event, textIn(event, 'title') ?? 'needs you'), context: 'host', message };
}

function fromClaude(event: Fields, what: string) {
  return from('Claude Code', textIn(event, 'cwd'), textIn(event, 'session_id'), what);
}

function from(host: string, folder: string | undefined, session: string | undefined, what: string) {
  const project = folder === undefined ? undefined : basename(folder.replaceAll('\\', '/'));
  const caller = project === undefined || project === '' ? host : `${host} · ${project}`;
  return {
    level: 'warn',
    title: `${caller} ${what}`,
    caller,
    ...(project === undefined ? {} : { project }),
    ...(session === undefined ? {} : { session }),
  } as const;
}

function textIn(fields: Fields, name: string): string | undefined {
  const text = fields[name];
  return typeof text === 'string' && text.trim() !== ''
    ? firstCodePoints(text, MAX_TEXT_CODE_POINTS)
    : undefined;
}

/** When the person sent the last message of a transcript of Claude Code: one JSON object per line. */
function turnStart(path: string | undefined): number | undefined {
  if (path === undefined) return undefined;
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    const line = lines.findLast((each) => each.includes('"type":"user"') && isFromPerson(each));
    const message: unknown = JSON.parse(line ?? '{}');
    const time = isObject(message) ? message['timestamp'] : undefined;
    const startMs = typeof time === 'string' ? Date.parse(time) : Number.NaN;
    return Number.isNaN(startMs) ? undefined : startMs;
  } catch {
    // The duration only makes the title better.
    return undefined;
  }
}

/** Results of tools are messages of the user too. */
function isFromPerson(line: string): boolean {
  return !line.includes('"tool_result"') && !line.includes('"isMeta":true');
}
