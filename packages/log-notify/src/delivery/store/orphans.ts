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
  /** Where process ids mean the same, on Linux: a container or a sandbox can have its own. */
  readonly space?: string | undefined;
  /** Names of the files of this process: ids are used again, in containers at each start. */
  readonly files: Set<string>;
}

/** Age after which a file counts as left behind, although the id of its process is in use. */
const STALE_MS = 24 * 60 * 60 * 1000;
/** The same for a file of another machine or container. A living server touches its file each minute. */
const STALE_ELSEWHERE_MS = 600_000;

const NAME = /^(?<host>[\w-]{8})-(?<id>\d+)-(?<unique>[\w-]+)\.jsonl$/;

/** The space of the machine itself, which the names of earlier versions mean. Linux fixes its number. */
const MACHINE_SPACE = 'pid:[4026531836]';

/** A new name, which says whose file it is. */
export function fileName(owner: Owner): string {
  const name = `${hostOf(owner)}-${owner.id}-${randomUUID()}.jsonl`;
  owner.files.add(name);
  return name;
}

/** Names of the files whose servers have ended. */
export function findOrphans(folder: string, owner: Owner, now: Date): readonly string[] {
  const own = hostOf(owner);
  return namesIn(folder).filter((name) => {
    const { host, id } = NAME.exec(name)?.groups ?? {};
    if (host === undefined || owner.files.has(name)) return false;
    const isLocal = host === own;
    if (isLocal && (Number(id) === owner.id || !owner.isRunning(Number(id)))) return true;
    const { mtime = now } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
    return now.getTime() - mtime.getTime() > (isLocal ? STALE_MS : STALE_ELSEWHERE_MS);
  });
}

/** Process ids of another machine, or of another container, say nothing here. */
function hostOf({ space = MACHINE_SPACE }: Owner): string {
  const place = space === MACHINE_SPACE ? hostname() : `${hostname()} ${space}`;
  return createHash('sha256').update(place).digest('base64url').slice(0, 8);
}

/** True if any server has left, or uses, a file in the folder. */
export function holdsFiles(folder: string): boolean {
  return namesIn(folder).some((name) => NAME.test(name));
}
