import { join } from 'node:path';
import { defineOptions, folders } from '@deskside/core/cli';
import { z } from 'zod';

/** The files that the server uses if no option names others. */
export function defaultPaths(): { readonly config: string; readonly file: string } {
  const { config, state } = folders();
  return { config: join(config, 'log-notify.toml'), file: join(state, 'notify.jsonl') };
}

export const logNotifyOptions = defineOptions(
  'LOG_NOTIFY',
  {
    config: z
      .string()
      .min(1)
      .optional()
      .meta({
        placeholder: 'FILE',
        defaultText: "log-notify.toml in the user's configuration folder",
        defaultPath: () => defaultPaths().config,
        description: 'TOML file with filters and sinks. It is reloaded when it changes.',
      }),
    filter: z.string().optional().meta({
      placeholder: 'FILTER',
      description:
        'Filter that replaces the filter of the file, for example "info,llm_notify::warn=off,[{context=analysis}]=off".',
    }),
    file: z
      .string()
      .min(1)
      .optional()
      .meta({
        placeholder: 'FILE',
        defaultText: "notify.jsonl in the user's log folder",
        defaultPath: () => defaultPaths().file,
        description: 'JSON lines file that receives the notifications.',
      }),
  },
  { httpPort: 3335 },
);

export interface LogNotifyOptions {
  /** Path of the TOML file. */
  readonly config?: string | undefined;
  /** In the filter syntax. Takes precedence over the file. */
  readonly filter?: string | undefined;
  /** Path of the JSON lines file. Takes precedence over the TOML file. */
  readonly file?: string | undefined;
  /** Receives one sentence when a sink fails or a setting is invalid. Default: a line on stderr. */
  readonly report?: (sentence: string) => void;
}
