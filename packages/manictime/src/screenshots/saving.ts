import { lstat, mkdir, readFile, realpath, unlink, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, extname, posix, resolve, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errnoOf, UserError } from '@deskside/core/errors';
import { isInside } from './folder.ts';
import type { ImageFormat } from './images/codec.ts';

/** Highest number that is appended to a generated name. */
const MAX_NAME_NUMBER = 999;

/**
 * Writes a new file and never replaces one. Does nothing if the file has the same bytes already.
 *
 * @param numbered if the name exists, append a number instead of failing
 * @returns the path written to
 * @throws UserError FILE_EXISTS or WRITE_FAILED
 */
export async function saveFile(path: string, bytes: Uint8Array, numbered: boolean): Promise<string> {
  try {
    for (let number = 1; number <= (numbered ? MAX_NAME_NUMBER : 1); number += 1) {
      const target = number === 1 ? path : withNumber(path, number);
      if ((await writeNew(target, bytes)) || (await hasBytes(target, bytes))) return target;
    }
  } catch (error) {
    throw writeFailed(error);
  }
  throw fileExists();
}

/** False if the path exists. */
async function writeNew(target: string, bytes: Uint8Array): Promise<boolean> {
  try {
    await writeFile(target, bytes, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    if (errnoOf(error) === 'ENOSPC' || errnoOf(error) === 'EDQUOT') {
      // A full disk leaves a part of the file. If that cannot be removed, the first error is still the reason.
      await unlink(target).catch(() => undefined);
    }
    throw error;
  }
}

async function hasBytes(file: string, bytes: Uint8Array): Promise<boolean> {
  return (await lstat(file)).isFile() && (await readFile(file)).equals(bytes);
}

function withNumber(path: string, number: number): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}-${number}${extension}`;
}

function fileExists(): UserError {
  return new UserError({
    code: 'FILE_EXISTS',
    error: 'Another file exists at that path. It was not changed.',
    hint: 'Pass another outputPath, or omit it to get a generated name.',
  });
}

const FORMATS: Readonly<Record<string, ImageFormat>> = { '.jpg': 'jpeg', '.jpeg': 'jpeg', '.png': 'png' };

/** Windows treats these names as devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|(?:com|lpt)\d)(?:\.|$)/i;

export interface OutputPath {
  readonly path: string;
  readonly format: ImageFormat;
  /** Whether the name is generated: it gets a number if it exists. */
  readonly isGenerated: boolean;
}

/**
 * The path with its extension, and the image format. A folder (`assets/`) gets a generated name. Appends `.jpg` if the name
 * has no extension; digits (`shot-09.30`) are none.
 *
 * @throws UserError INVALID_ARGUMENT or UNSUPPORTED_EXTENSION
 */
export function parseOutputPath(given: string | undefined, generatedName: string): OutputPath {
  if (given === undefined) return { path: generatedName, format: 'jpeg', isGenerated: true };
  const outputPath = given.trim();
  const name = outputPath.split(/[\\/]/).at(-1)?.trim() ?? '';
  // On Windows a colon separates a drive or a stream. A null byte ends a path.
  const isPath = outputPath !== '' && !/[\0:]/.test(outputPath.replace(/^[a-z]:[\\/]/i, ''));
  if (!isPath || DEVICE.test(name) || /^\.(?:jpe?g|png)$/i.test(name)) {
    throw new UserError({
      code: 'INVALID_ARGUMENT',
      error: 'Invalid "outputPath": not a valid file name.',
      hint: 'Pass a relative path with a file name, for example "assets/screenshot-0930.jpg".',
    });
  }
  if (/^\.{0,2}$/.test(name)) {
    return { path: `${outputPath}/${generatedName}`, format: 'jpeg', isGenerated: true };
  }
  const found = extname(name).toLowerCase();
  const extension = /^\.\d*$/.test(found) ? '' : found;
  const path = extension === '' ? `${outputPath}.jpg` : outputPath;
  const format = FORMATS[extension === '' ? '.jpg' : extension];
  if (format !== undefined) return { path, format, isGenerated: false };
  throw new UserError({
    code: 'UNSUPPORTED_EXTENSION',
    error: 'Unsupported file extension. Screenshots are saved as .jpg, .jpeg or .png.',
    hint: 'Pass outputPath with one of these extensions, or without an extension for .jpg.',
  });
}

/**
 * Resolves a path against the first folder that contains it, and creates its parent folder. Links are resolved
 * before the check.
 *
 * @throws UserError NO_ROOTS, PATH_OUTSIDE_ROOTS or WRITE_FAILED
 */
export async function resolveTarget(folders: readonly string[], outputPath: string): Promise<string> {
  let exists = false;
  for (const folder of folders) {
    // A root that does not exist contains nothing.
    const root = await realpath(folder).catch(() => undefined);
    if (root === undefined) continue;
    exists = true;
    const wanted = resolve(root, outputPath);
    if (!isInside(root, wanted) || !isWithin(root, await existingFolder(dirname(wanted)))) continue;
    // Checked again: a link may have been created meanwhile.
    if (isWithin(root, await createFolder(dirname(wanted)))) return wanted;
  }
  if (!exists) {
    throw new UserError({
      code: 'NO_ROOTS',
      error: 'None of the folders that screenshots may be saved to exists.',
      hint: "Ask the person to create the folder that MANICTIME_SAVE_DIR (--save-dir) names, with its full path, or the client's root.",
    });
  }
  throw new UserError({
    code: 'PATH_OUTSIDE_ROOTS',
    error: 'The path is outside of all folders that screenshots may be saved to.',
    hint: "Pass a relative outputPath without '..', for example \"assets/screenshot-0930.jpg\". It is relative to the client's first root.",
  });
}

async function createFolder(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true });
    return await realpath(folder);
  } catch (error) {
    throw writeFailed(error);
  }
}

function isWithin(root: string, folder: string): boolean {
  return folder === root || isInside(root, folder);
}

/** The nearest existing parent folder, with links resolved. */
async function existingFolder(folder: string): Promise<string> {
  // It does not exist yet.
  const real = await realpath(folder).catch(() => undefined);
  if (real !== undefined) return real;
  const parent = dirname(folder);
  return parent === folder ? folder : existingFolder(parent);
}

function writeFailed(cause: unknown): UserError {
  return new UserError(
    {
      code: 'WRITE_FAILED',
      error: 'The file could not be written.',
      hint: 'Pass an outputPath in another folder, or tell the person that the server cannot write to this one.',
    },
    { cause },
  );
}

/** `file:///C:/x`, and `file://C:\x` as some clients send it. A URL parser would cut it at `#`. */
const DRIVE_ROOT = /^file:\/\/\/?([a-z]:[\\/].*)$/i;

/**
 * The folder of a client's root on this machine; undefined for anything but a `file:` URL with an absolute path.
 */
export function folderOfRoot(uri: string, windows: boolean = platform() === 'win32'): string | undefined {
  const { isAbsolute, normalize } = windows ? win32 : posix;
  const drivePath = DRIVE_ROOT.exec(uri)?.[1];
  try {
    const path = drivePath === undefined ? fileURLToPath(uri, { windows }) : decoded(drivePath);
    return isAbsolute(path) ? normalize(path) : undefined;
  } catch {
    return undefined;
  }
}

/** Clients that send malformed URLs do not encode percent signs either. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
