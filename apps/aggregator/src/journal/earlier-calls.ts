import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type JournalRecord, parseObject, readPrivateFile } from '@deskside/core/base';
import { folders } from '@deskside/core/cli';
import { localIso } from '@deskside/core/dates';
import { messageOf, StartError } from '@deskside/core/errors';
import * as z from 'zod';

/** As the journal. */
const MAX_AGE_MS = 30 * 86_400_000;

/** The files of the versions without a journal, the older one first. */
function files(): readonly string[] {
  const file = join(folders().state, 'activity.jsonl');
  return [`${file}.1`, file];
}

const call = z.object({
  /** Of the end. */
  time: z.string().transform((text) => Date.parse(text)),
  mount: z.string(),
  tool: z.string(),
  outcome: z.string(),
  ms: z.number(),
  user: z.string(),
  token: z.string().optional(),
  caller: z.string(),
  session: z.string().optional(),
});

/** Calls that a version without a journal has recorded, the newest last. @throws StartError if they cannot be read */
export async function earlierCalls(): Promise<readonly JournalRecord[]> {
  const texts = await Promise.all(files().map(async (file) => textOf(file)));
  return texts
    .join('')
    .split('\n')
    .map(parsed)
    .filter((line) => line !== undefined)
    .map(recordOf);
}

function recordOf({ time, outcome, ms, ...others }: z.output<typeof call>, index: number): JournalRecord {
  return {
    id: `earlier-${index + 1}`,
    kind: 'call',
    asked: localIso(new Date(time - ms)),
    ended: localIso(new Date(time)),
    outcome: outcome.replace('_', ' '),
    ms,
    ...others,
  };
}

/** Deletes what is older than the journal may be. */
export async function deleteEarlierCalls(now: Date): Promise<void> {
  for (const file of files()) {
    // Most users have none.
    const changed = await stat(file).catch(() => undefined);
    if (changed !== undefined && now.getTime() - changed.mtimeMs > MAX_AGE_MS)
      await rm(file, { force: true });
  }
}

async function textOf(file: string): Promise<string> {
  try {
    return (await readPrivateFile(file)) ?? '';
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${file} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}

function parsed(line: string) {
  // A line may be torn: its process was killed.
  const { data } = call.safeParse(parseObject(line));
  return data !== undefined && !Number.isNaN(data.time) ? data : undefined;
}
