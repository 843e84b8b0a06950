import { randomInt } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Exchange } from './exchange.ts';
import { exchangesOf } from './exchanges.ts';
import { dayOf, localTimestamp, stampOf } from './local-time.ts';
import { type LogEntry, parseEntries } from './log-entry.ts';
import { readEnd } from './read-end.ts';

/** Milliseconds of silence after which a conversation is a new one. */
const SILENCE_MS = 5 * 60_000;
const VERSION = 3;

export interface ConversationLogOptions {
  readonly folder: string;
  /** The working directory: conversations of different projects don't mix. */
  readonly project: string;
  /** Written with each entry, as `name version`. */
  readonly writer: string;
  readonly now?: () => Date;
}

/** What was said, kept so that the next popup can show it. */
export interface History {
  /** Of this project, oldest first. */
  recent(limit: number): Promise<readonly Exchange[]>;
  agentSaid(text: string): Promise<void>;
  personSaid(text: string): Promise<void>;
}

export const noHistory: History = {
  recent: async () => [],
  agentSaid: async () => undefined,
  personSaid: async () => undefined,
};

/**
 * VoiceMode's conversation log: one JSON line an entry in `exchanges_YYYY-MM-DD.jsonl`, `tts` for what the agent
 * said and `stt` for the answer. A running VoiceMode may append to the same file.
 */
export function conversationLog(options: ConversationLogOptions): History {
  const { folder, project, writer, now = () => new Date() } = options;

  async function entries(): Promise<LogEntry[]> {
    const today = now();
    const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
    const texts = await Promise.all([yesterday, today].map((day) => readEnd(fileOf(day))));
    return texts.flatMap(parseEntries);
  }

  function fileOf(day: Date): string {
    return join(folder, `exchanges_${dayOf(day)}.jsonl`);
  }

  let written: Promise<void> = Promise.resolve();

  /** Entries stand in the order in which they were handed in. */
  function append(type: LogEntry['type'], text: string): Promise<void> {
    const write = () => appendEntry(type, text);
    written = written.then(write, write);
    return written;
  }

  async function appendEntry(type: LogEntry['type'], text: string): Promise<void> {
    const at = now();
    const entry = {
      version: VERSION,
      timestamp: localTimestamp(at),
      conversation_id: conversationAt(at, (await entries()).at(-1)),
      type,
      text,
      project_path: project,
      metadata: { voice_mode_version: writer, transport: 'notify' },
    } satisfies LogEntry;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await appendLine(fileOf(at), JSON.stringify(entry));
  }

  function conversationAt(at: Date, last: LogEntry | undefined): string {
    const goesOn =
      last?.project_path === project && at.getTime() - Date.parse(last.timestamp) < SILENCE_MS
        ? last.conversation_id
        : undefined;
    return goesOn ?? `conv_${stampOf(at)}_${randomLetters(6)}`;
  }

  return {
    recent: async (limit) =>
      limit === 0
        ? []
        : exchangesOf((await entries()).filter((entry) => entry.project_path === project)).slice(-limit),
    agentSaid: (text) => append('tts', text),
    personSaid: (text) => append('stt', text),
  };
}

/** One write, so that lines of two processes never mix; on a line of its own even after one that was torn. */
async function appendLine(path: string, line: string): Promise<void> {
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const isTorn = size > 0 && last.toString('latin1') !== '\n';
    await file.write(`${isTorn ? '\n' : ''}${line}\n`);
  } finally {
    await file.close();
  }
}

function randomLetters(count: number): string {
  return Array.from({ length: count }, () => randomInt(36).toString(36)).join('');
}
