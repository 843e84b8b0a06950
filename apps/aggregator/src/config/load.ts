import { join, resolve } from 'node:path';
import { folders } from '@deskside/core/program';
import { messageOf, StartError, unlessStartFails } from '@deskside/core/errors';
import { quoted } from '@deskside/core/text';
import { type DeskPlaces, placesOf, readable, readAccepted } from '@deskside/gateway/config';
import type { DeskConfig, DeskFile } from './desk-file.ts';

/** The configuration that the desk runs. */
export interface LoadedConfig {
  readonly config: DeskConfig;
  readonly places: DeskPlaces;
  /** Lines for the person who starts the program. */
  readonly notes: readonly string[];
  /** The text that it was read from. */
  readonly accepted: string | undefined;
}

/** The path of deskside.toml if no option names another one. */
export function defaultConfigFile(): string {
  return join(folders().config, 'deskside.toml');
}

/**
 * Reads the last accepted copy of deskside.toml.
 *
 * @param given the path, if an option names it
 * @throws StartError for a given file that does not exist, for one that cannot be read and has no accepted copy, and for a copy
 *   that is damaged or cannot be read
 */
export async function loadConfig(given: string | undefined): Promise<LoadedConfig | undefined> {
  const places = placesIfAny(given);
  if (places === undefined) return undefined;
  const notes: string[] = [];
  const accepted = await readAccepted(places);
  const current = await readable(places.file).catch((error: unknown) => {
    if (accepted === undefined) throw error;
    notes.push(`${messageOf(error)} The accepted copy is in use. Run "deskside apply --dry-run".`);
    return accepted;
  });
  if (current === undefined && given !== undefined) {
    throw new StartError(`${given} does not exist. Create it, or start without --config.`);
  }
  if (current === undefined && accepted === undefined) return undefined;
  if (current !== accepted) {
    const state = accepted === undefined ? 'is not in use yet' : 'has changed; the accepted copy is in use';
    notes.push(`${places.file} ${state}. Run "deskside apply".`);
  }
  const { config, problems } = await read(accepted ?? '');
  if (problems.length > 0) notes.push(`${places.file} has problems. Run "deskside apply --dry-run".`);
  return { config, accepted, places, notes };
}

/** Where deskside.toml and its accepted copy are. @throws StartError without a home folder */
export function placesFor(given: string | undefined) {
  return placesOf(given === undefined ? defaultConfigFile() : resolve(given), folders().data);
}

/** A user without a home folder has no configuration, unless an option names it. */
export function placesIfAny(given: string | undefined): DeskPlaces | undefined {
  return given === undefined ? unlessStartFails(() => placesFor(given)) : placesFor(given);
}

/** Without a file the TOML parser is never loaded. */
export async function read(text: string): Promise<DeskFile> {
  const { readDeskFile } = await import('./desk-file.ts');
  return readDeskFile(text);
}

export function unknownProfile(name: string): StartError {
  const word = quoted(name);
  return new StartError(
    `Unknown profile ${word}. Add [profiles.${word}] to deskside.toml, then run "deskside apply".`,
  );
}
