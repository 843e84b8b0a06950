import { constants, statSync } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { accessProblem, existingPart, privacyProblem } from '@deskside/core/base';
import { messageOf } from '@deskside/core/errors';
import * as z from 'zod';
import { jsonLine } from '../../notification/json-line.ts';
import type { Notification } from '../../notification/notification.ts';
import { defineSink, type Finding } from '../define-sink.ts';
import { parsed } from '../fields.ts';
import { PartlyDelivered, type Sink } from '../sink.ts';
import { isFollowed } from './followers.ts';
import { fileIdentity, rotate } from './rotation.ts';

const SIZE = /^(?<count>\d+(?:\.\d+)?)\s*(?<unit>B|kB|KB|MB|GB)?$/;
const UNIT_BYTES: Readonly<Record<string, number>> = { B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9 };

/** Bytes, from `"10MB"`. */
const size = () =>
  parsed('use a size such as "10MB" or "500kB"', (value) => {
    const { count, unit = 'B' } = SIZE.exec(String(value))?.groups ?? {};
    const bytes = Number(count) * (UNIT_BYTES[unit] ?? 0);
    return count === undefined || bytes < 1 ? undefined : Math.floor(bytes);
  });

/** Others would depend on the folder of the program that starts the server. */
const PATH_ERROR = 'use the absolute path of a file';

const KEEP_ERROR = 'use a whole number from 1 to 100';
const keep = () => z.int({ error: KEEP_ERROR }).min(1, { error: KEEP_ERROR }).max(100, { error: KEEP_ERROR });

/** The plan sets `path` if the file does not. */
export const file = defineSink({
  kind: 'file',
  schema: () => ({
    path: z.string({ error: PATH_ERROR }).refine(isAbsolute, { error: PATH_ERROR }).optional(),
    max_size: size().default(10_000_000),
    keep: keep().default(5),
  }),
  secrets: [],
  variables: {},
  example: `
The JSON lines file that "deskside-log-notify tail" follows
[file]
max_size = "10MB"
keep = 5                                  # rotated files
`,
  local: {
    policy: {},
    isLog: true,
    examine: ({ path = '' }) => examine(path),
  },
  describe: ({ path, max_size: maxSize, keep }) =>
    `${path}, rotated at ${maxSize} bytes, at most ${keep} rotated files`,
  open: ({ path = '', max_size: maxSize, keep }, { report }) =>
    jsonLinesFile({ path, maxSize, keep, report }),
});

const LINE_FEED = 0x0a;

/** A named pipe that nobody reads is an error: else its open would hold a thread of the process for good. */
const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | (constants.O_NONBLOCK ?? 0);

export interface JsonLinesFileOptions {
  readonly path: string;
  /** Size in bytes at which the file is rotated. */
  readonly maxSize: number;
  /** Maximum number of rotated files. */
  readonly keep: number;
  /** Receives one sentence when the file cannot be rotated, or when other users can read it. */
  readonly report: (sentence: string) => void;
}

/**
 * One JSON object per line. Each batch is one append, so any number of processes can share the file without tearing
 * each other's lines; one of them rotates it. A new file has mode 0600 in a folder with mode 0700.
 */
export function jsonLinesFile({ path, maxSize, keep, report }: JsonLinesFileOptions) {
  /** A named pipe stays open: each end of a writer is one for its reader. */
  let pipe: FileHandle | undefined;
  let isTorn = false;
  const reported = new Set<string>();
  return {
    batchSize: 1000,
    timeoutMs: 5000,
    maxCodePoints: Infinity,
    // `tail` writes into the journal what a person has seen.
    tellsSeen: () => true,
    unseen: () => (isFollowed(path, new Date()) ? undefined : 'not followed'),
    async deliver(batch: readonly Notification[]): Promise<void> {
      const lines = Buffer.from(`${batch.map(jsonLine).join('\n')}\n`);
      const handle = pipe ?? (await openFor(lines.length));
      let written = 0;
      try {
        // If a full disk cut a line off, the next one must not continue it.
        if (isTorn) await handle.write('\n');
        isTorn = false;
        while (written < lines.length) {
          const { bytesWritten } = await handle.write(lines, written);
          written += bytesWritten;
        }
      } catch (error) {
        pipe = undefined;
        const complete = lines.subarray(0, written);
        isTorn = written > 0 && complete.at(-1) !== LINE_FEED;
        throw new PartlyDelivered(complete.toString('latin1').split('\n').length - 1, { cause: error });
      } finally {
        // What is written is written.
        if (handle !== pipe) await handle.close().catch(() => undefined);
      }
    },
  } satisfies Sink;

  /** Opens the file, after a rotation if it has no room for that many bytes: another process may have moved it. */
  async function openFor(byteCount: number): Promise<FileHandle> {
    const found = await fileIdentity(path);
    if (found === undefined) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    else if (found.size > 0n && Number(found.size) + byteCount > maxSize) {
      // If it cannot be rotated, it grows: no notification is lost.
      await rotate(path, found, keep).catch((error: unknown) =>
        reportOnce(`${path} cannot be rotated and grows: ${messageOf(error)}`),
      );
    }
    const handle = await open(path, APPEND, 0o600);
    const stats = await handle.stat();
    if (stats.isFIFO()) pipe = handle;
    const problem = stats.isFile() ? privacyProblem(path, stats) : undefined;
    if (problem !== undefined) reportOnce(`${problem.problem} ${problem.remedy}`);
    return handle;
  }

  function reportOnce(sentence: string): void {
    if (!reported.has(sentence)) report(sentence);
    reported.add(sentence);
  }
}

/** Tests types and permissions only, and creates nothing. */
function examine(path: string): Finding {
  const existing = existingPart(path);
  if (existing === path) {
    const code = statSync(path).isDirectory() ? 'EISDIR' : accessProblem(path, constants.W_OK);
    if (code !== undefined) return unusableFile(path, 'not writable', `${path} cannot be written (${code}).`);
  }
  const folder = existing === path ? dirname(path) : existing;
  const code = statSync(folder).isDirectory()
    ? accessProblem(folder, constants.W_OK | constants.X_OK)
    : 'ENOTDIR';
  if (code === undefined) return { fact: `${path} (writable)` };
  const state = existing === path ? 'cannot be rotated' : 'cannot be created';
  return unusableFile(path, state, `The folder ${folder} cannot be written (${code}).`);
}

function unusableFile(path: string, state: string, problem: string): Finding {
  const remedy = 'Change the permissions, or choose another path with --file.';
  return { fact: `${path} (${state})`, problem: { problem, remedy } };
}
