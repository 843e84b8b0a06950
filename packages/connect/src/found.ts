import { existsSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { namesIn } from '@deskside/core/base';
import { programPaths } from '@deskside/desktop';
import { StartError } from '@deskside/core/errors';
import { quoted } from '@deskside/core/text';
import { homeFolder } from '@deskside/core/program';
import { appPackages, type Client, type Place } from './client.ts';
import { CLIENTS } from './table.ts';

/** @throws StartError for a user without a home folder */
export function thisPlace(env: Place['env']): Place {
  const place = { platform: platform(), home: homeFolder(), env };
  return place.platform === 'win32' ? { ...place, packages: namesIn(appPackages(place)) } : place;
}

/** The clients of this machine: their file exists, something is in a folder of its own, or their program is on PATH. */
export function clientsFound(place: Place): readonly Client[] {
  const suffixes = place.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  return CLIENTS.filter((client) => {
    const [program, file] = [client.program, client.file(place)];
    const names = suffixes.flatMap((suffix) => (program === undefined ? [] : `${program}${suffix}`));
    const own = dirname(file) === place.home ? [] : namesIn(dirname(file));
    const programs = programPaths(names, place.env['PATH'] ?? place.env['Path']);
    return own.length > 0 || [file, ...programs].some((path) => existsSync(path));
  });
}

/** @throws StartError for a client that is not known */
export function clientNamed(id: string): Client {
  const client = CLIENTS.find((each) => each.id === id);
  if (client !== undefined) return client;
  const [meant] = CLIENTS.filter((each) => each.program === id).map((each) => ` Did you mean "${each.id}"?`);
  const all = CLIENTS.map((each) => each.id).join(', ');
  throw new StartError(`Unknown client ${quoted(id)}.${meant ?? ''} Clients: ${all}.`);
}
