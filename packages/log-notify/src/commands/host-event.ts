import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { isObject, parseObject } from '@deskside/core/base';
import { durationText } from '../notification/summary.ts';
import type { Level, NotificationInput } from '../notification/notification.ts';
import { type Fields, questionsIn, textIn, textsIn, toolCall } from './tool-call.ts';

const QUESTION_TOOLS = /^(?:ask_?user(?:_?question)?|request_user_input|question)$/i;
const PLAN_TOOLS = /^exit_?plan_?mode$/i;

/** Notifications of a host that another hook has sent already, or that ask nothing. */
const KNOWN_NOTICES = new Set([
  'permission_prompt',
  'idle_prompt',
  'agent_idle',
  'agent_completed',
  'auth_success',
  'elicitation_complete',
  'elicitation_response',
]);

/** Parts of the path of a transcript that say whose it is. */
const HOSTS: readonly (readonly [part: RegExp, host: string])[] = [
  [/[/\\]\.codex[/\\]/, 'Codex'],
  [/[/\\]\.gemini[/\\]/, 'Gemini CLI'],
  [/[/\\]\.qwen[/\\]/, 'Qwen Code'],
  [/[/\\]\.copilot[/\\]/, 'Copilot CLI'],
];

/** How much of a transcript is read first, from its end, and at most. */
const END_BYTES = 512 * 1024;
const MAX_END_BYTES = 64 * END_BYTES;

/** What the agent said last. */
const LAST_TEXTS = ['last_assistant_message', 'last-assistant-message', 'prompt_response', 'response'];

/** Codex lets the model name each new task, in a thread that ends like a turn. */
const CODEX_TITLE = /^Generate [^]+ title [^]+\n\nUser prompt:\n/;
/** Of Gemini CLI, after an error of the model. */
const NO_RESPONSE = '[no response text]';

/** What a host said, as a notification: its title says who and what. */
export type HostEvent = NotificationInput & { readonly title: string };

interface Said {
  readonly what: string;
  readonly message: string;
  readonly context: 'turn' | 'question' | 'permission' | 'plan' | 'error' | 'host';
  readonly level?: Level;
}

/**
 * Reads what a host passes to its hooks: on standard input, and Codex as the last argument of `notify`. A plugin of
 * OpenCode passes the event.
 *
 * @returns undefined for an event that says nothing new to the person
 * @throws SyntaxError if it is not JSON
 */
export function readHostEvent(json: string, atMs: number): HostEvent | undefined {
  const event: unknown = JSON.parse(json);
  if (!isObject(event)) return undefined;
  // Only OpenCode has them.
  const properties = isObject(event['properties']) ? event['properties'] : undefined;
  const said = properties === undefined ? hook(event, atMs) : openCode(event, properties);
  if (said === undefined) return undefined;
  const { what, message, context, level = 'warn' } = said;
  const folder = textIn(event, 'cwd', 'directory');
  const session = textIn({ ...properties, ...event }, 'session_id', 'sessionId', 'thread-id', 'sessionID');
  const project = folder === undefined ? undefined : basename(folder.replaceAll('\\', '/'));
  const host = properties === undefined ? hostOf(event) : 'OpenCode';
  const caller = project === undefined || project === '' ? host : `${host} · ${project}`;
  return {
    level,
    context,
    message,
    title: `${caller} ${what}`,
    caller,
    client: host,
    ...(project === undefined ? {} : { project }),
    ...(session === undefined ? {} : { session }),
  };
}

function hostOf(event: Fields): string {
  const path = textIn(event, 'transcript_path', 'transcriptPath') ?? '';
  const known = HOSTS.find(([part]) => part.test(path))?.[1];
  if (known !== undefined) return known;
  if (event['type'] === 'agent-turn-complete' || 'turn_id' in event) return 'Codex';
  if ('sessionId' in event) return 'Copilot CLI';
  const isGemini =
    event['hook_event_name'] === 'AfterAgent' || event['notification_type'] === 'ToolPermission';
  return isGemini ? 'Gemini CLI' : 'Claude Code';
}

function hook(event: Fields, atMs: number): Said | undefined {
  switch (event['hook_event_name'] ?? event['type']) {
    case 'Stop':
      return waitsForHelper(event) ?? finished(event, turnTime(event, atMs));
    case 'AfterAgent':
      return event['prompt_response'] === NO_RESPONSE
        ? { ...finished({}), what: 'has stopped without an answer' }
        : finished(event);
    case 'agent-turn-complete':
      return codexTurn(event);
    case 'SubagentStop':
      return helperFinished(event);
    case 'StopFailure':
      return failed(textIn(event, 'last_assistant_message', 'error_details', 'error', 'error_type'));
    case 'PermissionRequest':
      return permission(textIn(event, 'tool_name') ?? 'a tool', objectIn(event, 'tool_input'));
    case 'Elicitation':
      return asked(textIn(event, 'message'));
    case 'Notification':
      return notice(event);
    case undefined:
      return copilot(event);
    default:
      return undefined;
  }
}

/** The turn has ended, but the agent goes on by itself when a helper in the background has finished. */
function waitsForHelper(event: Fields): Said | undefined {
  const { background_tasks: tasks } = event;
  const running = (Array.isArray(tasks) ? tasks : [])
    .filter(isObject)
    .find((task) => task['status'] === 'running' && textIn(task, 'agent_type') !== undefined);
  if (running === undefined) return undefined;
  const what = `· waits for its helper ${textIn(running, 'agent_type')}`;
  return { ...finished(event), what, level: 'info' };
}

function helperFinished(event: Fields): Said {
  const helper = textIn(event, 'agent_type', 'agentName');
  const what = helper === undefined ? '· a helper has finished' : `· its helper ${helper} has finished`;
  const message = textIn(event, ...LAST_TEXTS) ?? 'The agent goes on.';
  return { what, message, context: 'turn', level: 'info' };
}

/** Only the threads of helpers do not say which program shows them. */
function codexTurn(event: Fields): Said | undefined {
  const [asked = ''] = textsIn(event['input-messages']);
  if (CODEX_TITLE.test(asked)) return undefined;
  return textIn(event, 'client') === undefined ? helperFinished(event) : finished(event);
}

/** The hooks of Copilot CLI do not name their event. A helper has `agentStop` too, beside `subagentStop`. */
function copilot(event: Fields): Said | undefined {
  if ('agentName' in event) return helperFinished(event);
  if ('parentAgentId' in event) return undefined;
  const tool = textIn(event, 'toolName');
  if (tool !== undefined) {
    const input = parseObject(textIn(event, 'toolArgs') ?? '') ?? objectIn(event, 'toolInput');
    return permission(tool, input);
  }
  const { error } = event;
  if (isObject(error)) {
    const answer = parseObject(textIn(error, 'message') ?? '');
    return failed(textIn({ ...error, ...answer }, 'message', 'name'));
  }
  return 'stopReason' in event ? finished(event) : undefined;
}

function openCode(event: Fields, properties: Fields): Said | undefined {
  switch (event['type']) {
    case 'session.idle':
      return event['parentID'] === undefined ? finished(properties) : helperFinished(properties);
    case 'session.error': {
      const error = objectIn(properties, 'error');
      return failed(textIn(objectIn(error, 'data'), 'message') ?? textIn(error, 'name'));
    }
    case 'question.asked':
      return asked(questionsIn(properties));
    case 'permission.asked':
    case 'permission.updated': {
      const metadata = objectIn(properties, 'metadata');
      const patterns = textsIn(properties['patterns']).join(' ');
      const command = textIn(metadata, 'command') ?? (patterns === '*' ? undefined : patterns);
      const tool = textIn(properties, 'permission', 'type') ?? 'a tool';
      return permission(tool, { path: command, ...metadata, command });
    }
    default:
      return undefined;
  }
}

function finished(event: Fields, time = ''): Said {
  const said = textIn(event, ...LAST_TEXTS);
  return { what: `has finished${time}`, message: said ?? 'It waits for you.', context: 'turn' };
}

function failed(error: string | undefined): Said {
  const message = error ?? 'It does not say why.';
  return { what: 'has stopped with an error', message, context: 'error', level: 'error' };
}

function asked(question: string | undefined): Said {
  return { what: 'asks you', message: question ?? 'Its question is in its window.', context: 'question' };
}

function permission(tool: string, input: Fields): Said {
  if (QUESTION_TOOLS.test(tool)) return asked(questionsIn(input));
  if (PLAN_TOOLS.test(tool)) {
    const message = textIn(input, 'plan', 'planPath') ?? 'Its plan is in its window.';
    return { what: 'has a plan for you', message, context: 'plan' };
  }
  const { what, details } = toolCall(tool, input);
  // In the text: some desktops cut a title after the name of the agent.
  const message = [`It ${what}`, ...details].join('\n');
  return { what: 'asks for permission', message, context: 'permission' };
}

function notice(event: Fields): Said | undefined {
  const type = textIn(event, 'notification_type');
  const message = textIn(event, 'message');
  if (type === 'ToolPermission') return geminiPermission(objectIn(event, 'details'), message);
  const isKnown =
    type === undefined ? /permission|waiting for your input/i.test(message ?? '') : KNOWN_NOTICES.has(type);
  if (isKnown || message === undefined) return undefined;
  const title = textIn(event, 'title');
  // Copilot CLI has no question in it.
  if (type === 'elicitation_dialog') return asked(message === title ? undefined : message);
  return { what: title ?? 'needs you', message, context: 'host' };
}

function geminiPermission(details: Fields, message: string | undefined): Said {
  const { type } = details;
  switch (type) {
    case 'exec':
    case 'edit':
    case 'ask_user':
    case 'exit_plan_mode':
      return permission(type, details);
    case 'mcp':
      return permission(
        `mcp__${textIn(details, 'serverName') ?? 'a server'}__${textIn(details, 'toolName') ?? 'a tool'}`,
        {},
      );
    case 'info': {
      const [url] = textsIn(details['urls']);
      if (url !== undefined) return permission('web_fetch', { url });
      const what = (textIn(details, 'title') ?? 'go on').toLowerCase();
      const text = [`It wants to ${what}`, textIn(details, 'prompt') ?? []].flat().join('\n');
      return { what: 'asks for permission', message: text, context: 'permission' };
    }
    default:
      return { what: 'asks for permission', message: message ?? 'It waits for you.', context: 'permission' };
  }
}

function objectIn(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isObject(value) ? value : {};
}

function turnTime({ transcript_path: path }: Fields, atMs: number): string {
  try {
    const startMs = typeof path === 'string' ? turnStart(path) : Number.NaN;
    return Number.isNaN(startMs) ? '' : ` after ${durationText(atMs - startMs)}`;
  } catch {
    // The duration only makes the title better.
    return '';
  }
}

/** When the person sent the last message of a transcript of Claude Code: one JSON object per line. NaN if it is not found. */
function turnStart(path: string): number {
  // The writer of a named pipe is not waited for, and its size is 0.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { size } = fstatSync(file);
    for (let length = END_BYTES; length <= MAX_END_BYTES; length *= 4) {
      const end = Buffer.alloc(Math.min(length, size));
      readSync(file, end, 0, end.length, size - end.length);
      // What is looked for is ASCII.
      const lines = end.toString('latin1').split('\n');
      // The first line may have begun before.
      const line = lines.slice(end.length < size ? 1 : 0).findLast(isFromPerson);
      if (line !== undefined || end.length === size)
        return Date.parse(String(parseObject(line ?? '')?.['timestamp']));
    }
    return Number.NaN;
  } finally {
    closeSync(file);
  }
}

/** Results of tools are messages of the user too. */
function isFromPerson(line: string): boolean {
  return line.includes('"type":"user"') && !/"tool_result"|"isMeta":true/.test(line);
}
