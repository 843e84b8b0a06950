import type { Stats } from 'node:fs';
import { lstat, readlink, realpath, rm, stat } from 'node:fs/promises';
import { replaceFile } from '@deskside/core/base';
import { errnoOf, messageOf, StartError } from '@deskside/core/errors';
import { digestOf, textOf, whileLocked } from '@deskside/desktop';
import type { Client } from './client.ts';
import { connectionsFile } from './connections.ts';
import { editJson, tableInJson } from './json-file.ts';
import { editToml, tableInToml } from './toml-file.ts';

/** Where deskside.toml has other servers. */
export const DESK_TABLE = { format: 'toml', root: 'mcpServers' } as const;

/** A planned change of a client's file. */
export interface FileChange {
  readonly file: string;
  /** Undefined: the file does not exist. */
  readonly before: string | undefined;
  readonly after: string;
}

/** The servers in a client's file. @throws StartError that names the file, if it cannot be read or is not valid */
export async function serversIn(
  { format, root }: Pick<Client, 'format' | 'root'>,
  file: string,
): Promise<Readonly<Record<string, unknown>>> {
  return withFile(file, async () => {
    const text = (await textOf(file)) ?? '';
    return format === 'json' ? tableInJson(text, root) : tableInToml(text, root);
  });
}

/**
 * Plans to set or remove one server.
 *
 * @param value undefined removes it
 * @throws StartError that names the file, if it cannot be changed
 */
export function planChange(
  { format, root }: Pick<Client, 'format' | 'root'>,
  file: string,
  name: string,
  value: unknown,
): Promise<FileChange> {
  return planEdit(file, (text) =>
    format === 'json' ? editJson(text, [root, name], value) : editToml(text, root, name, value),
  );
}

/** @throws StartError that names the file, if it cannot be changed */
export function planEdit(file: string, edit: (text: string) => string): Promise<FileChange> {
  return withFile(file, async () => {
    const before = await textOf(file);
    // It is no link.
    const link = before === undefined ? await readlink(file).catch(() => undefined) : undefined;
    if (link !== undefined)
      throw new StartError(
        'It is a link to a file that does not exist. Create that file, or delete the link.',
      );
    return { file, before, after: edit(before ?? '') };
  });
}

/**
 * Carries out a change: under a lock, only if the file is still the one of the plan, and in one step.
 *
 * @param isSecret if true, only the owner may read the file
 * @param emptied what a file contains then that would contain nothing; null deletes it
 * @throws StartError that names the file
 */
export function carryOut(
  { file, before, after }: FileChange,
  isSecret: boolean,
  emptied?: string | null,
): Promise<void> {
  // Nothing of Deskside stays in a folder of another program.
  const lockAt = `${connectionsFile()}.${digestOf(file)}`;
  return withFile(file, () => {
    const work = async () => {
      if ((await textOf(file)) !== before) throw new StartError('It has changed meanwhile. Try again.');
      // The file may be a link into a folder of settings under version control.
      const target = before === undefined ? file : await realpath(file);
      const stats = before === undefined ? undefined : await writableStats(target);
      const text = hasNothing(after) ? (emptied ?? after) : after;
      const isOver = hasNothing(after) && emptied === null && before !== undefined;
      if (isOver && !(await lstat(file)).isSymbolicLink()) await rm(file);
      else
        await replaceFile(target, text, isSecret || stats === undefined ? 0o600 : stats.mode & 0o777, stats);
    };
    return whileLocked(file, work, { lockAt });
  });
}

/** White space, or an empty object. */
export function hasNothing(text: string): boolean {
  return /^\uFEFF?\s*(?:\{\s*\}\s*)?$/.test(text);
}

/** @throws StartError that names the file, if `carryOut` would refuse it */
export function checkWritable({ file, before }: FileChange): Promise<void> {
  return withFile(file, async () => {
    if (before !== undefined) await writableStats(file);
  });
}

/** A file without write permission is protected on purpose, also from a rename. */
async function writableStats(file: string): Promise<Stats> {
  const stats = await stat(file);
  if ((stats.mode & 0o200) === 0) throw new StartError('It is read-only.');
  return stats;
}

/** Adds the path to what goes wrong with a file. */
async function withFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StartError) throw new StartError(`${file}: ${error.message}`, { cause: error });
    if (error instanceof RangeError)
      throw new StartError(`${file}: It has too many levels.`, { cause: error });
    if (errnoOf(error) === undefined) throw error;
    throw new StartError(`${file} cannot be changed (${messageOf(error)}).`, { cause: error });
  }
}
