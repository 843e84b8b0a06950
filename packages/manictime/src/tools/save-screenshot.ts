import { inputRequired, inputResponse, type RequestContext } from '@deskside/core';
import { formatDateTime } from '@deskside/core/dates';
import { UserError } from '@deskside/core/errors';
import * as z from 'zod';
import type { ManicTime } from '../manictime.ts';
import { requireShot } from '../queries/records.ts';
import { cropImage, readFullImage, type Region } from '../screenshots/delivery.ts';
import { transformImage } from '../screenshots/images/images.ts';
import { folderOfRoot, parseOutputPath, resolveTarget, saveFile } from '../screenshots/saving.ts';
import type { Shot } from '../screenshots/shot.ts';
import { defineManicTimeTool } from './define-tool.ts';
import { coordinateUnits, screenshotRef } from './schemas.ts';

/** The key of the input request for the client's roots. */
const ROOTS = 'roots';

const edge = (what: string) => z.number().optional().describe(`${what}; all four or none.`);

const input = z.object({
  screenshotRef,
  outputPath: z
    .string()
    .optional()
    .describe(
      'Relative path like "assets/screenshot-0930.jpg" (or .jpeg, .png). Default: named by its time.',
    ),
  cropX: edge('Left edge'),
  cropY: edge('Top edge'),
  cropWidth: edge('Width'),
  cropHeight: edge('Height'),
  coordinateUnits,
});

export const saveScreenshot = defineManicTimeTool({
  name: 'save_screenshot',
  title: 'Save screenshot',
  description:
    "Saves a screenshot, or a region of it, in the client's roots or the folder that the person configured. Never replaces another file.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input,
  output: z.object({ path: z.string(), size: z.int().describe('File size in bytes.') }),

  async run(args, manictime, ctx) {
    const region = regionOf(args);
    const shot = await requireShot(manictime.records, args.screenshotRef, ctx);
    const { path, format, isGenerated } = parseOutputPath(args.outputPath, defaultName(shot));
    const folders = await allowedFolders(manictime, ctx);
    if (folders === 'ask') return inputRequired({ inputRequests: { [ROOTS]: inputRequired.listRoots() } });
    const target = await resolveTarget(folders, path);
    const original = await readFullImage(manictime.screenshots, shot);
    const bytes = await imageToSave(original, region, format, ctx.signal);
    const saved = await saveFile(target, bytes, isGenerated);
    return { path: saved, size: bytes.length };
  },
});

async function imageToSave(
  bytes: Uint8Array,
  region: Region | undefined,
  format: 'jpeg' | 'png',
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (region !== undefined) return cropImage(bytes, region, format, signal);
  return format === 'jpeg' ? bytes : transformImage({ bytes, format }, signal);
}

/**
 * The folders that files may be saved to. A client's roots are paths on its own machine, so they are used on stdio
 * only; over HTTP only the configured folder is used.
 */
async function allowedFolders(
  { saveDir }: ManicTime,
  ctx: RequestContext,
): Promise<readonly string[] | 'ask'> {
  const isRemote = ctx.transport === 'http';
  const roots = isRemote ? [] : await rootsOf(ctx);
  if (roots === 'ask') return 'ask';
  const folders = (roots ?? []).map(({ uri }) => folderOfRoot(uri)).filter((folder) => folder !== undefined);
  if (saveDir !== undefined) folders.push(saveDir);
  if (folders.length > 0) return folders;
  throw new UserError({
    code: roots === undefined ? 'ROOTS_UNSUPPORTED' : 'NO_ROOTS',
    error: isRemote
      ? 'Saving over HTTP needs a configured folder: client and server may be on different machines.'
      : 'The client names no folder (MCP roots), so no folder is known to save to.',
    hint: `Ask the person to ${isRemote ? '' : 'open a folder in the client, or to '}set MANICTIME_SAVE_DIR for the server.`,
  });
}

/** Undefined: the client names none. In the legacy era the SDK would end the call for a failure or for one odd root. */
async function rootsOf({ caller, input, log, signal }: RequestContext) {
  const answer = inputResponse(input.responses, ROOTS);
  if (answer.kind === 'roots') return answer.roots;
  if (input.capabilities.roots === undefined || input.responses !== undefined) return undefined;
  if (caller.roots === undefined) return 'ask';
  try {
    const { roots } = await caller.roots.list();
    signal.throwIfAborted();
    return roots;
  } catch (error) {
    signal.throwIfAborted();
    log.warn('the client did not name its roots', { error });
    return [];
  }
}

function regionOf(args: z.output<typeof input>): Region | undefined {
  const { cropX: x, cropY: y, cropWidth: width, cropHeight: height, coordinateUnits: units } = args;
  if (x !== undefined && y !== undefined && width !== undefined && height !== undefined)
    return { x, y, width, height, units };
  if ([x, y, width, height].every((edge) => edge === undefined)) return undefined;
  throw new UserError({
    code: 'PARTIAL_CROP',
    error: 'Incomplete region: only some of cropX, cropY, cropWidth and cropHeight are present.',
    hint: 'Pass all four to save a region, or none to save the whole screenshot.',
  });
}

function defaultName({ local }: Shot): string {
  const [date = '', time = ''] = formatDateTime(local).split('T');
  return `screenshot-${date}-${time.replaceAll(':', '')}.jpg`;
}
