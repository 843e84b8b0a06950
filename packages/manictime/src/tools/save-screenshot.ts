import { inputRequired, inputResponse, type RequestContext } from '@deskside/core';
import { z } from 'zod';
import type { ManicTime } from '../manictime.ts';
import { Problem } from '../problem.ts';
import { folderOfRoot } from '../saving/roots.ts';
import { namedFormat, targetIn } from '../saving/target.ts';
import type { CoordinateUnits, Region } from '../screenshots/crop.ts';
import { cropImage } from '../screenshots/crop-image.ts';
import type { Shot } from '../screenshots/file-name.ts';
import { readFullImage, requireShot } from '../screenshots/resolve.ts';
import { formatDateTime } from '../time/wall-clock.ts';
import { defineManicTimeTool } from './manictime-tool.ts';
import { coordinateUnits, screenshotRef } from './screenshot-fields.ts';

/** The key under which the client's roots are asked for and answered. */
const ROOTS = 'roots';

const edge = (what: string) =>
  z.number().optional().describe(`${what} of the region to save; all four or none.`);

export const saveScreenshot = defineManicTimeTool({
  name: 'save_screenshot',
  title: 'Save screenshot',
  description:
    "Saves a screenshot, or a region of it, as a file within the client's roots (or the folder the person configured). Never replaces a file it did not write.",
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({
    screenshotRef,
    outputPath: z
      .string()
      .optional()
      .describe(
        'Relative path with file name, .jpg, .jpeg or .png; .jpg is appended if it has no extension.',
      ),
    cropX: edge('Left edge'),
    cropY: edge('Top edge'),
    cropWidth: edge('Width'),
    cropHeight: edge('Height'),
    coordinateUnits,
  }),
  output: z.object({ path: z.string(), size: z.int().describe('Bytes.') }),

  async run(args, manictime, ctx) {
    const region = regionOf(args);
    const shot = await requireShot(
      manictime,
      args.screenshotRef,
      ctx.toolName('list_screenshots'),
      ctx.signal,
    );
    const { path, format } = namedFormat(args.outputPath ?? defaultName(shot));
    const folders = await savingFolders(manictime, ctx);
    if (folders === 'ask') return inputRequired({ inputRequests: { [ROOTS]: inputRequired.listRoots() } });
    const target = await targetIn(folders, path);
    const original = await readFullImage(manictime, shot);
    const bytes = await imageToSave(manictime, original, region, format, ctx.signal);
    const saved = await manictime.saver.save(target, bytes, args.outputPath === undefined);
    return { path: saved, size: bytes.length };
  },
});

async function imageToSave(
  { images }: ManicTime,
  bytes: Uint8Array,
  region: Region | undefined,
  format: 'jpeg' | 'png',
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (region !== undefined) return cropImage(images, bytes, region, format, signal);
  return format === 'jpeg' ? bytes : images.transform({ bytes, format }, signal);
}

/**
 * Where files may go. A client's roots name folders of its own disk: they count on stdio, where that is this
 * machine's; over HTTP only the configured folder does.
 */
async function savingFolders(
  { saveDir }: ManicTime,
  ctx: RequestContext,
): Promise<readonly string[] | 'ask'> {
  const configured = saveDir === undefined ? [] : [saveDir];
  if (ctx.transport === 'http') {
    if (configured.length > 0) return configured;
    throw new Problem({
      code: 'NO_ROOTS',
      error: 'Nothing can be saved: over HTTP a client is not known to share a disk with the server.',
      hint: 'Ask the person to start the server with --save-dir (MANICTIME_SAVE_DIR).',
    });
  }
  const answer = inputResponse(ctx.input.responses, ROOTS);
  if (answer.kind === 'roots') {
    const folders = answer.roots.map(({ uri }) => folderOfRoot(uri)).filter((folder) => folder !== undefined);
    if (folders.length + configured.length > 0) return [...folders, ...configured];
    throw new Problem({
      code: 'NO_ROOTS',
      error: 'The client declares no roots, so there is no folder to save in.',
      hint: 'Ask the person to open a folder in the client, or to start the server with --save-dir.',
    });
  }
  if (ctx.input.capabilities.roots !== undefined && ctx.input.responses === undefined) return 'ask';
  if (configured.length > 0) return configured;
  throw new Problem({
    code: 'ROOTS_UNSUPPORTED',
    error: 'The client does not say which folders it works in (MCP roots), so there is none to save in.',
    hint: 'Ask the person to start the server with --save-dir (MANICTIME_SAVE_DIR).',
  });
}

function regionOf(args: {
  readonly cropX?: number | undefined;
  readonly cropY?: number | undefined;
  readonly cropWidth?: number | undefined;
  readonly cropHeight?: number | undefined;
  readonly coordinateUnits: CoordinateUnits;
}): Region | undefined {
  const { cropX: x, cropY: y, cropWidth: width, cropHeight: height, coordinateUnits: units } = args;
  if (x !== undefined && y !== undefined && width !== undefined && height !== undefined) {
    return { x, y, width, height, units };
  }
  if (x === undefined && y === undefined && width === undefined && height === undefined) return undefined;
  throw new Problem({
    code: 'PARTIAL_CROP',
    error: 'Only some of cropX, cropY, cropWidth and cropHeight were given.',
    hint: 'Pass all four to save a region, or none for the whole screenshot.',
  });
}

function defaultName({ local }: Shot): string {
  const [date = '', time = ''] = formatDateTime(local).split('T');
  return `screenshot-${date}-${time.replaceAll(':', '')}.jpg`;
}
