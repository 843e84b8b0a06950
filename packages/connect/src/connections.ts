import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '@deskside/core/base';
import { folders } from '@deskside/core/program';
import { StartError } from '@deskside/core/errors';
import * as z from 'zod';
import { textOf, whileLocked } from '@deskside/desktop';

const connection = z.object({
  client: z.string(),
  file: z.string(),
  /** Name of the token that was created for the client. */
  token: z.string().optional(),
  /** What the person had set below the name. */
  own: z.unknown().optional(),
  /** What was in files that had nothing in them, by their paths; null: the file did not exist. */
  empty: z.record(z.string(), z.string().nullable()).optional(),
});
const content = z.object({ connections: z.array(connection) });

/** What `deskside connect` changed for one client, so that it can be undone. */
export type Connection = z.output<typeof connection>;

/** Needed to undo. */
export function connectionsFile(): string {
  return join(folders().data, 'connections.json');
}

/** @throws StartError if the record is damaged */
export async function connectionOf(client: string): Promise<Connection | undefined> {
  return (await readAll()).find((each) => each.client === client);
}

/** Ids of the clients that `connect` changed. @throws StartError if the record is damaged */
export async function connectedClients(): Promise<readonly string[]> {
  return (await readAll()).map(({ client }) => client);
}

/** Stores what was changed for a client, or with undefined that it was undone. */
export function remember(client: string, changed: Connection | undefined): Promise<void> {
  const file = connectionsFile();
  return whileLocked(file, async () => {
    const others = (await readAll()).filter((each) => each.client !== client);
    const connections = changed === undefined ? others : [...others, changed];
    if (connections.length === 0) await rm(file, { force: true });
    else await replaceFile(file, `${JSON.stringify({ connections }, null, 2)}\n`);
  });
}

async function readAll(): Promise<readonly Connection[]> {
  const file = connectionsFile();
  const text = await textOf(file);
  if (text === undefined) return [];
  try {
    return content.parse(JSON.parse(text)).connections;
  } catch (error) {
    throw new StartError(`${file} is damaged. Delete it; nothing can be undone then.`, { cause: error });
  }
}
