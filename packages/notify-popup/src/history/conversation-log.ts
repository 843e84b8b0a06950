import { randomUUID } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { parseObject } from '@deskside/core/base';
import { localIso } from '@deskside/core/dates';
import { errnoOf } from '@deskside/core/errors';
import * as z from 'zod';

/** A longer silence starts a new conversation. */
const MAX_SILENCE_MS = 5 * 60_000;
/** Enough for far more exchanges than a popup shows. */
const MAX_READ_BYTES = 1024 * 1024;
const FORMAT_VERSION = 3;

/** What an entry is about. */
export interface EntryOrigin {
  /** Of the item: its journal record has the same. */
  readonly id: string;
  /** The folder of the caller's project; undefined if it is not known. */
  readonly folder: string | undefined;
}

/** One text of the log. */
export interface LogText {
  readonly speaker: 'agent' | 'person';
  readonly text: string;
  readonly at: Date;
  readonly folder: string | undefined;
  /** Of the popup's item; undefined for entries of VoiceMode. */
  readonly id: string | undefined;
}

/** The texts of questions, news and answers. */
export interface ConversationLog {
  /** Those of yesterday and today, oldest first. */
  texts(): Promise<readonly LogText[]>;
  add(speaker: LogText['speaker'], text: string, origin: EntryOrigin): Promise<void>;
}

/** Stores nothing. */
export const noLog: ConversationLog = {
  texts: async () => [],
  add: async () => undefined,
};

export interface ConversationLogOptions {
  readonly folder: string;
  /** Program name and version, written with each entry. */
  readonly writer: string;
  readonly now?: () => Date;
}

/** A line of VoiceMode's conversation log: the fields that the popup needs. */
const logEntry = z.object({
  version: z.number(),
  timestamp: z.string().refine((text) => !Number.isNaN(Date.parse(text))),
  conversation_id: z.string(),
  /** `tts` is a message of the agent, `stt` a reply. */
  type: z.enum(['tts', 'stt']),
  text: z.string(),
  project_path: z.string().nullish(),
  metadata: z.looseObject({ item_id: z.string().optional() }).nullish(),
});
type LogEntry = z.output<typeof logEntry>;

/**
 * A history in VoiceMode's format: one JSON object per line, in one file `exchanges_YYYY-MM-DD.jsonl` per day. A running
 * VoiceMode may append to the same file.
 */
export function openConversationLog(options: ConversationLogOptions): ConversationLog {
  const { folder, writer, now = () => new Date() } = options;

  async function readEntries(): Promise<LogEntry[]> {
    const today = now();
    const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
    const texts = await Promise.all([yesterday, today].map((day) => readEnd(fileOf(day))));
    return texts.flatMap(parseEntries);
  }

  function fileOf(day: Date): string {
    return join(folder, `exchanges_${localIso(day).slice(0, 10)}.jsonl`);
  }

  let lastWrite: Promise<void> = Promise.resolve();

  async function appendEntry(speaker: LogText['speaker'], text: string, origin: EntryOrigin): Promise<void> {
    const at = now();
    const last = (await readEntries().catch(() => [])).at(-1);
    const entry = {
      version: FORMAT_VERSION,
      timestamp: localIso(at),
      conversation_id: conversationIdAt(at, origin.folder, last),
      type: speaker === 'agent' ? 'tts' : 'stt',
      text,
      ...(origin.folder === undefined ? {} : { project_path: origin.folder }),
      metadata: { voice_mode_version: writer, transport: 'notify', item_id: origin.id },
    } satisfies LogEntry;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await appendLine(fileOf(at), asciiJson(entry));
  }

  return {
    texts: async () => (await readEntries()).map(textOf),
    // In the order of the calls.
    add(speaker, text, origin) {
      const write = () => appendEntry(speaker, text, origin);
      lastWrite = lastWrite.then(write, write);
      return lastWrite;
    },
  };
}

function conversationIdAt(at: Date, project: string | undefined, last: LogEntry | undefined): string {
  const continues =
    last !== undefined &&
    (last.project_path ?? undefined) === project &&
    at.getTime() - Date.parse(last.timestamp) < MAX_SILENCE_MS;
  if (continues) return last.conversation_id;
  const [date = '', time = ''] = localIso(at).slice(0, 19).replaceAll(/[-:]/g, '').split('T');
  return `conv_${date}_${time}_${randomUUID().slice(0, 6)}`;
}

function textOf({ type, text, timestamp, project_path, metadata }: LogEntry): LogText {
  return {
    speaker: type === 'tts' ? 'agent' : 'person',
    text,
    at: new Date(timestamp),
    folder: project_path ?? undefined,
    id: metadata?.item_id,
  };
}

/** Skips incomplete lines and lines in another format. */
function parseEntries(text: string): LogEntry[] {
  return text.split('\n').flatMap((line) => logEntry.safeParse(parseObject(line)).data ?? []);
}

/** @returns the end of a file, '' if the file does not exist; the first line may be incomplete */
async function readEnd(path: string): Promise<string> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const buffer = Buffer.alloc(Math.min(size, MAX_READ_BYTES));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Writes once, so that lines of two processes never mix. Completes a torn last line first. */
async function appendLine(path: string, line: string): Promise<void> {
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const isTorn = size > 0 && last.toString('latin1') !== '\n';
    // Not `write`: a full disk can end that early without an error.
    await file.appendFile(`${isTorn ? '\n' : ''}${line}\n`);
  } finally {
    await file.close();
  }
}

/** VoiceMode reads the file in the encoding of its locale, so every character beyond ASCII is escaped. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
