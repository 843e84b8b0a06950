import { createHash, randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { namesIn } from '@deskside/core/base';

/** The process that owns a spool file. */
export interface Owner {
  readonly id: number;
  /** True if a process with this id runs on this machine. */
  isRunning(id: number): boolean;
  /** Names of the files of this process: ids are used again, in containers at each start. */
  readonly files: Set<string>;
}

/** Age after which a file counts as left behind, although the id of its process is in use. */
const STALE_MS = 24 * 60 * 60 * 1000;
/** The same for a file of another machine or container. A living server touches its file each minute. */
const STALE_ELSEWHERE_MS = 600_000;

const NAME = /^(?<host>[\w-]{8})-(?<id>\d+)-(?<unique>[\w-]+)\.jsonl$/;

/** A new name, which says whose file it is. */
export function fileName({ id, files }: Owner): string {
  const name = `${thisHost()}-${id}-${randomUUID()}.jsonl`;
  files.add(name);
  return name;
}

/**
 * Names of the files whose servers have ended.
 *
 * @param byAge whether a file without a change for long counts too: not after a sleep of the machine
 */
export function findOrphans(folder: string, owner: Owner, now: Date, byAge: boolean): readonly string[] {
  return namesIn(folder).filter((name) => {
    const { host, id } = NAME.exec(name)?.groups ?? {};
    if (host === undefined || owner.files.has(name)) return false;
    const isLocal = host === thisHost();
    if (isLocal && (Number(id) === owner.id || !owner.isRunning(Number(id)))) return true;
    if (!byAge) return false;
    const { mtime = now } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
    return now.getTime() - mtime.getTime() > (isLocal ? STALE_MS : STALE_ELSEWHERE_MS);
  });
}

/** Process ids of another machine, or of another container, say nothing here. */
function thisHost(): string {
  return createHash('sha256').update(hostname()).digest('base64url').slice(0, 8);
}

/** True if any server has left, or uses, a file in the folder. */
export function holdsFiles(folder: string): boolean {
  return namesIn(folder).some((name) => NAME.test(name));
}
