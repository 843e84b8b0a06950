import { statSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { Problem } from '../problem.ts';
import { registryValue } from './windows-registry.ts';

/** What named the data folder. */
export type LocationSource =
  | 'Option'
  | 'EnvironmentVariable'
  | 'Registry'
  | 'LocalAppData'
  | 'Demo'
  | 'Unresolved';

export interface DataLocation {
  readonly folder: string | undefined;
  readonly source: LocationSource;
  readonly screenshots: string | undefined;
}

export interface LocationOptions {
  readonly dataDir?: string | undefined;
  readonly dataDirSource?: 'Option' | 'EnvironmentVariable';
  readonly screenshotsDir?: string | undefined;
  /** `%LOCALAPPDATA%` on Windows. */
  readonly localAppData?: string | undefined;
  /** Writes a folder to show, and says where. */
  readonly demoFolder?: (() => Promise<string>) | undefined;
}

const REGISTRY_KEY = String.raw`HKCU\SOFTWARE\Finkit\ManicTime`;

/** Finds ManicTime's data: what was said, then what its installation says, then where it is by default. */
export async function locateData(options: LocationOptions): Promise<DataLocation> {
  const { folder, source } = await findFolder(options);
  const screenshots = options.screenshotsDir ?? (folder === undefined ? undefined : screenshotsIn(folder));
  return { folder, source, screenshots };
}

async function findFolder({
  dataDir,
  dataDirSource = 'Option',
  localAppData,
  demoFolder,
}: LocationOptions): Promise<Omit<DataLocation, 'screenshots'>> {
  if (demoFolder !== undefined) return { folder: await demoFolder(), source: 'Demo' };
  const given = dataDir?.trim();
  if (given !== undefined && given !== '') return { folder: given, source: dataDirSource };
  if (platform() === 'win32') {
    const registered = await registryValue(REGISTRY_KEY, 'DataDirectory');
    if (registered !== undefined) return { folder: registered, source: 'Registry' };
    const usual = localAppData === undefined ? undefined : join(localAppData, 'Finkit', 'ManicTime');
    if (usual !== undefined && isFolder(usual)) return { folder: usual, source: 'LocalAppData' };
  }
  return { folder: undefined, source: 'Unresolved' };
}

export function unresolved(): Problem {
  return new Problem({
    code: 'DATA_DIRECTORY_UNRESOLVED',
    error: "ManicTime's data folder was not found.",
    hint: 'Ask the person to set MANICTIME_DATA_DIR (or --data-dir) to the folder that holds ManicTimeReports.db, or to install ManicTime and start it once.',
  });
}

/** Beside the database; portable installations keep both one folder below. */
function screenshotsIn(folder: string): string {
  const candidates = [join(folder, 'Screenshots'), join(folder, 'Data', 'Screenshots')];
  return candidates.find(isFolder) ?? join(folder, 'Screenshots');
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
