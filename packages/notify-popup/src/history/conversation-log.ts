import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseObject } from '@deskside/core/base';
import { localIso } from '@deskside/core/dates';
import { errnoOf } from '@deskside/core/errors';
import * as z from 'zod';
import manifest from '../../package.json' with { type: 'json' };

/** A longer silence starts a new conversation. */
const MAX_SILENCE_MS = 5 * 60_000;
const FORMAT_VERSION = 3;
/** Written with each entry. */
const WRITER = `deskside-notify-popup ${manifest.version}`;

/** What an entry is about. */
export interface EntryOrigin {
  /** Of the item: its journal record has the same. */
  readonly id: string;
  /** The folder of the caller's project; undefined if it is not known. */
  readonly folder: string | undefined;
}

export type Speaker = 'agent' | 'person';

/** Questions, news and answers. */
export type ConversationLog = ReturnType<typeof openConversationLog>;

/** A line of VoiceMode's conversation log: the fields that the popup needs. */
const logEntry = z.object({
  version: z.number(),
  timestamp: z.string().refine((text) => !Number.isNaN(Date.parse(text))),
  conversation_id: z.string(),
  /** `tts` is a message of the agent, `stt` a reply. */
  type: z.enum(['tts', 'stt']),
  text: z.string(),
  project_path: z.string().nullish(),
  /** `item_id` is missing in entries of VoiceMode. */
  metadata: z.looseObject({ item_id: z.string().optional() }).nullish(),
});
export type LogEntry = z.output<typeof logEntry>;

/**
 * A history in VoiceMode's format: one JSON object per line, in one file `exchanges_YYYY-MM-DD.jsonl` per day. A running
 * VoiceMode may append to the same file.
 */
export function openConversationLog(folder: string, now = () => new Date()) {
  /** The files of yesterday and today. */
  function readDays(): Promise<readonly string[]> {
    const today = now();
    const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
    return Promise.all([yesterday, today].map((day) => readText(fileOf(day))));
  }

  function fileOf(day: Date): string {
    return join(folder, `exchanges_${localIso(day).slice(0, 10)}.jsonl`);
  }

  let lastWrite: Promise<void> = Promise.resolve();

  async function appendEntry(speaker: Speaker, text: string, origin: EntryOrigin): Promise<void> {
    const at = now();
    // What cannot be read may be written all the same.
    const [yesterday = '', today = ''] = await readDays().catch(() => []);
    const last = parseEntries(`${yesterday}\n${today}`).at(-1);
    const entry = {
      version: FORMAT_VERSION,
      timestamp: localIso(at),
      conversation_id: conversationIdAt(at, origin.folder, last),
      type: speaker === 'agent' ? 'tts' : 'stt',
      text,
      ...(origin.folder === undefined ? {} : { project_path: origin.folder }),
      metadata: { voice_mode_version: WRITER, transport: 'notify', item_id: origin.id },
    } satisfies LogEntry;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const start = today === '' || today.endsWith('\n') ? '' : '\n';
    // Written at once, so that lines of two processes never mix. A torn last line is completed first.
    await appendFile(fileOf(at), `${start}${asciiJson(entry)}\n`, { mode: 0o600 });
  }

  return {
    /** Those of yesterday and today, oldest first. */
    entries: async () => (await readDays()).flatMap(parseEntries),
    // In the order of the calls.
    add(speaker: Speaker, text: string, origin: EntryOrigin): Promise<void> {
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

/** Skips incomplete lines and lines in another format. */
function parseEntries(text: string): LogEntry[] {
  return text.split('\n').flatMap((line) => logEntry.safeParse(parseObject(line)).data ?? []);
}

/** @returns '' if the file does not exist */
async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}

/** VoiceMode reads the file in the encoding of its locale, so every character beyond ASCII is escaped. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
