import { statSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineOptions, folders, type OptionsOf } from '@deskside/core/program';
import { unlessStartFails } from '@deskside/core/errors';
import * as z from 'zod';
import { parseFilter } from './config/filter.ts';
import { openFolder, ownUid } from '@deskside/desktop';
import { sinkVariables } from './sinks/index.ts';

interface Paths {
  readonly config: string;
  readonly file: string;
  /** `file` for a program that starts without the variables that move it. */
  readonly environmentFree: string;
}

/**
 * The files that the server uses if no option names others.
 *
 * @throws StartError without a home folder
 */
export function defaultPaths(): Paths {
  const { config, state } = folders();
  const file = join(state, 'notify.jsonl');
  return {
    config: join(config, 'log-notify.toml'),
    file,
    environmentFree: unlessStartFails(() => join(folders(platform(), {}).state, 'notify.jsonl')) ?? file,
  };
}

/**
 * The files for what the options do not name. Without a home folder they are temporary, if an option names a file or a
 * service.
 *
 * @throws StartError without any of these, or if other users can use the temporary folder
 */
export function pathsFor({ filter: _, history: __, ...named }: LogNotifyOptions): Paths {
  return unlessStartFails(defaultPaths, (error) => {
    if (Object.values(named).every((value) => value === undefined)) throw error;
    return temporaryPaths();
  });
}

/** In the folder of the desk's sockets. */
function temporaryPaths(): Paths {
  const uid = ownUid();
  const folder = join(tmpdir(), uid === undefined ? 'deskside' : `deskside-${uid}`);
  // Another user may have created it.
  openFolder(folder);
  const file = join(folder, 'notify.jsonl');
  return { config: join(folder, 'log-notify.toml'), file, environmentFree: file };
}

const isNotFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true;
const filePath = z.string().min(1).refine(isNotFolder, 'use the path of a file: this is a folder');

/** A filter without mistakes: with one, the person would get other notifications than wanted. */
export const filter = z.string().superRefine((text, ctx) => {
  for (const problem of parseFilter(text).problems) ctx.addIssue({ code: 'custom', message: problem });
});

export const logNotifyOptions = defineOptions(
  'LOG_NOTIFY',
  {
    config: filePath.optional().meta({
      changesListing: true,
      placeholder: 'FILE',
      defaultText: "log-notify.toml in the user's configuration folder",
      defaultPath: () => defaultPaths().config,
      description: 'TOML file with filters and sinks. It is reloaded when it changes.',
    }),
    filter: filter.optional().meta({
      placeholder: 'FILTER',
      description:
        'Filter that replaces the filter of the file, for example "info,llm_notify::warn=off,[{context=analysis}]=off".',
    }),
    file: filePath.optional().meta({
      changesListing: true,
      placeholder: 'FILE',
      defaultText: "notify.jsonl in the user's log folder",
      defaultPath: () => defaultPaths().file,
      description: 'JSON lines file that receives the notifications.',
    }),
    history: z.boolean().default(true).meta({
      changesListing: true,
      description:
        'Store the texts of notifications in the JSON lines file and the desk database. If it is off, there is no such file, and deliveries that still wait are outside of the home folder.',
    }),
    ...sinkVariables,
  },
  { httpPort: 3335 },
);

/** What a program passes to `openLogNotify`: `logNotifyOptions` has the descriptions and the defaults. */
export type LogNotifyOptions = Partial<OptionsOf<typeof logNotifyOptions>>;
