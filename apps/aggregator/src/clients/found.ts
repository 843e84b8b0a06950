import { existsSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { posix, win32 } from 'node:path';
import { namesIn } from '@deskside/core/base';
import { StartError } from '@deskside/core/errors';
import { appPackages, type Client, CLIENTS, type Place } from './client.ts';

/** @throws StartError for a user without a home folder */
export function thisPlace(env: Place['env']): Place {
  try {
    const place = { platform: platform(), home: homedir(), env };
    return place.platform === 'win32' ? { ...place, packages: namesIn(appPackages(place)) } : place;
  } catch (error) {
    throw new StartError('This user has no home folder. Set HOME.', { cause: error });
  }
}

/** The clients that were used on this machine: their file exists, or its folder if it is theirs alone. */
export function clientsFound(place: Place): readonly Client[] {
  const { dirname } = place.platform === 'win32' ? win32 : posix;
  return CLIENTS.filter((client) => {
    const file = client.file(place);
    return existsSync(file) || (dirname(file) !== place.home && existsSync(dirname(file)));
  });
}

/** @throws StartError for a client that is not known */
export function clientNamed(id: string): Client {
  const client = CLIENTS.find((each) => each.id === id);
  if (client !== undefined) return client;
  throw new StartError(`Unknown client "${id}". Clients: ${CLIENTS.map((each) => each.id).join(', ')}.`);
}
