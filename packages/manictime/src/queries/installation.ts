import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { homedir, platform, tmpdir } from 'node:os';
import { join, win32 } from 'node:path';
import { promisify } from 'node:util';
import { UserError } from '@deskside/core/errors';

/** Where the path of the data folder comes from. */
export type LocationSource =
  | 'Option'
  | 'EnvironmentVariable'
  | 'Registry'
  | 'LocalAppData'
  | 'Demo'
  | 'Unresolved';

export interface DataFolder {
  readonly folder: string | undefined;
  readonly source: LocationSource;
}

export interface DataLocation extends DataFolder {
  readonly screenshots: string | undefined;
}

export interface LocationOptions {
  readonly dataDir?: string | undefined;
  readonly dataDirSource?: 'Option' | 'EnvironmentVariable';
  readonly screenshotsDir?: string | undefined;
  /** Default: `AppData\Local` in the home folder. */
  readonly localAppData?: string | undefined;
  /** Creates a folder with demo data and returns its path. */
  readonly demoFolder?: (() => Promise<string>) | undefined;
}

const REGISTRY_KEY = String.raw`HKCU\SOFTWARE\Finkit\ManicTime`;

/** Where the screenshots are. Looked for in each call: ManicTime creates the folder with the first screenshot. */
export function screenshotsOf(
  { folder }: DataFolder,
  { screenshotsDir }: Pick<LocationOptions, 'screenshotsDir'>,
): string | undefined {
  if (screenshotsDir !== undefined || folder === undefined) return screenshotsDir;
  // Next to the database. Portable installations store both in a `Data` subfolder.
  const candidates = [join(folder, 'Screenshots'), join(folder, 'Data', 'Screenshots')];
  return candidates.find(isFolder) ?? candidates[0];
}

/** Finds ManicTime's data: demo data, then the option, then on Windows the registry entry, then the default folder. */
export async function locateData({
  dataDir,
  dataDirSource = 'Option',
  localAppData,
  demoFolder,
}: LocationOptions): Promise<DataFolder> {
  if (demoFolder !== undefined) return { folder: await demoFolder(), source: 'Demo' };
  const given = dataDir?.trim();
  if (given !== undefined && given !== '') return { folder: given, source: dataDirSource };
  if (platform() === 'win32') {
    const registered = await readRegistryValue(REGISTRY_KEY, 'DataDirectory');
    const local = localAppData ?? join(homedir(), 'AppData', 'Local');
    const folder = registered === undefined ? undefined : expandVariables(registered, local);
    if (folder !== undefined && isFolder(folder)) return { folder, source: 'Registry' };
    const standard = join(local, 'Finkit', 'ManicTime');
    if (isFolder(standard)) return { folder: standard, source: 'LocalAppData' };
    // Nothing exists: health names the folder that ManicTime is set to.
    if (folder !== undefined) return { folder, source: 'Registry' };
  }
  return { folder: undefined, source: 'Unresolved' };
}

export function dataFolderNotFound(): UserError {
  return new UserError({
    code: 'DATA_DIRECTORY_UNRESOLVED',
    error: "ManicTime's data folder was not found.",
    hint: 'Set MANICTIME_DATA_DIR (--data-dir) to the folder that contains ManicTimeReports.db, or install ManicTime and start it once.',
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // A query reports what this account may not read.
    return false;
  }
}

/**
 * A text value of the Windows registry; undefined if it is missing or empty, or the query fails. It is exported to a file,
 * which has all letters: the output of `reg query` has those of the console's code page only.
 */
async function readRegistryValue(key: string, name: string): Promise<string | undefined> {
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(tmpdir(), 'deskside-manictime-'));
    const file = join(folder, 'exported.reg');
    await promisify(execFile)('reg.exe', ['export', key, file, '/y'], { windowsHide: true, timeout: 5000 });
    return parseRegistryExport(await readFile(file, 'utf16le'), name);
  } catch {
    return undefined;
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** Expands the variables that a path of the registry can contain. Others stay, so that an error shows them. */
export function expandVariables(path: string, localAppData: string): string {
  const home = win32.resolve(localAppData, '..', '..');
  const values = new Map([
    ['localappdata', localAppData],
    ['userprofile', home],
    ['appdata', win32.join(home, 'AppData', 'Roaming')],
  ]);
  return path.replaceAll(/%([^%]+)%/g, (text, name: string) => values.get(name.toLowerCase()) ?? text);
}

/**
 * @param exported the text of an exported file: a header, then per key a line with the key and lines `"name"="value"`, or
 *   `"name"=hex(2):…` with the bytes of a value with variables. Subkeys follow
 */
export function parseRegistryExport(exported: string, name: string): string | undefined {
  const [, firstKey = ''] = exported.replaceAll(/\\\r?\n\s*/g, '').split(/^\[.*\]\r?$/m);
  for (const line of firstKey.split(/\r?\n/)) {
    const [, found, text, bytes] = /^"((?:[^"\\]|\\.)+)"=(?:"(.*)"|hex\(2\):([\da-f,]*))$/i.exec(line) ?? [];
    if (found?.toLowerCase() !== name.toLowerCase()) continue;
    const value = (text?.replaceAll(/\\(.)/g, '$1') ?? expandableText(bytes ?? '')).trim();
    return value === '' ? undefined : value;
  }
  return undefined;
}

function expandableText(bytes: string): string {
  return Buffer.from(bytes.replaceAll(',', ''), 'hex').toString('utf16le').replace(/\0+$/, '');
}

export interface ManicTimeProcess {
  readonly running: boolean;
  readonly processId?: number;
}

/** Whether ManicTime is running; undefined on other systems than Windows, or if the query fails. */
export async function findManicTimeProcess(): Promise<ManicTimeProcess | undefined> {
  if (platform() !== 'win32') return undefined;
  try {
    const filter = ['/FI', 'IMAGENAME eq ManicTime.exe', '/FO', 'CSV', '/NH'];
    const { stdout } = await promisify(execFile)('tasklist.exe', filter, {
      windowsHide: true,
      timeout: 5000,
    });
    return parseTasklist(stdout);
  } catch {
    return undefined;
  }
}

/** @param output of `tasklist /FO CSV /NH` */
export function parseTasklist(output: string): ManicTimeProcess {
  const processId = /^"ManicTime\.exe","(\d+)"/im.exec(output)?.[1];
  return processId === undefined ? { running: false } : { running: true, processId: Number(processId) };
}
