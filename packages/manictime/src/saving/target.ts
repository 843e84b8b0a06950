import { mkdir, realpath } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { Problem } from '../problem.ts';
import { isInside } from '../screenshots/image-file.ts';
import type { ImageFormat } from '../images/codec.ts';
import { writeFailed } from './write-failed.ts';

const FORMATS: Readonly<Record<string, ImageFormat>> = { '.jpg': 'jpeg', '.jpeg': 'jpeg', '.png': 'png' };

/** To Windows no file, whatever its extension. */
const DEVICE = /^(?:con|prn|aux|nul|(?:com|lpt)\d)(?:\.|$)/i;

/** What a file name asks for; `.jpg` is appended where it has no extension. */
export function namedFormat(outputPath: string): { readonly path: string; readonly format: ImageFormat } {
  const name = outputPath.split(/[\\/]/).at(-1) ?? '';
  // A colon names a drive or a stream on Windows; a null byte ends a path for the system.
  const isPath = outputPath.trim() !== '' && !/[\0:]/.test(outputPath.replace(/^[a-z]:[\\/]/i, ''));
  if (!isPath || DEVICE.test(name)) {
    throw new Problem({
      code: 'INVALID_ARGUMENT',
      error: 'Invalid "outputPath": it is no usable file name.',
      hint: 'Pass a relative path with a file name, for example "assets/screenshot-0930.jpg".',
    });
  }
  const extension = extname(outputPath).toLowerCase();
  const path = extension === '' ? `${outputPath}.jpg` : outputPath;
  const format = FORMATS[extension === '' ? '.jpg' : extension];
  if (format !== undefined) return { path, format };
  throw new Problem({
    code: 'UNSUPPORTED_EXTENSION',
    error: 'Screenshots are saved as .jpg, .jpeg or .png only.',
    hint: 'Pass outputPath with one of these extensions, or without any for .jpg.',
  });
}

/**
 * The absolute path for a file in the first folder that it stays inside of, with its own folder made. Links
 * among the existing folders are followed before they count.
 *
 * @throws Problem PATH_OUTSIDE_ROOTS or WRITE_FAILED
 */
export async function targetIn(folders: readonly string[], outputPath: string): Promise<string> {
  for (const folder of folders) {
    const root = await realpath(folder).catch(() => undefined);
    if (root === undefined) continue;
    const wanted = resolve(root, outputPath);
    if (!isInside(root, wanted) || !isWithin(root, await existingFolder(dirname(wanted)))) continue;
    // Again: somebody may have put a link there meanwhile.
    if (isWithin(root, await made(dirname(wanted)))) return wanted;
  }
  throw new Problem({
    code: 'PATH_OUTSIDE_ROOTS',
    error: 'The path lies outside every folder that screenshots may be saved in.',
    hint: "Pass a relative outputPath without '..', for example \"assets/screenshot-0930.jpg\"; it is taken from the client's first root.",
  });
}

async function made(folder: string): Promise<string> {
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

/** The nearest folder above that is there, without links. */
async function existingFolder(folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => undefined);
  if (real !== undefined) return real;
  const parent = dirname(folder);
  return parent === folder ? folder : existingFolder(parent);
}
