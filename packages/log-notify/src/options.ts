import { defineOptions } from '@deskside/core';
import { z } from 'zod';

export const logNotifyOptions = defineOptions('LOG_NOTIFY', {
  config: z.string().min(1).optional().meta({
    placeholder: 'FILE',
    defaultText: "log-notify.toml in the platform's folder for settings",
    description: 'TOML file with filters and sinks; it is read again whenever it changes.',
  }),
  filter: z.string().optional().meta({
    placeholder: 'FILTER',
    description:
      'What is let through, in place of what the file says: "info,llm_notify::warn=off,[{context=analysis}]=off".',
  }),
  file: z.string().min(1).optional().meta({
    placeholder: 'FILE',
    defaultText: "notify.jsonl in the platform's folder for logs",
    description: 'JSON lines file.',
  }),
});

export interface LogNotifyOptions {
  /** Path of the TOML file. */
  readonly config?: string | undefined;
  /** In the filter language; beats the file's. */
  readonly filter?: string | undefined;
  /** Path of the JSON lines file; beats the TOML file's. */
  readonly file?: string | undefined;
  /** Takes one sentence where a sink fails or a setting is wrong. Default: a line on stderr. */
  readonly report?: (sentence: string) => void;
}
