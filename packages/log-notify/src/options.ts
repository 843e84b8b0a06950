import { statSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { defineOptions, folders } from '@deskside/core/cli';
import { z } from 'zod';
import type { ServiceVariables } from './config/environment.ts';
import { address, addressProblem, botToken, chat, secret, token, topic } from './config/fields.ts';
import { parseFilter } from './filter/filter.ts';

interface Paths {
  readonly config: string;
  readonly file: string;
  /** `file` for a program that starts without the variables that move it. */
  readonly environmentFree: string;
  /** Folder of what is accepted and not delivered yet. */
  readonly spool: string;
}

/**
 * The files that the server uses if no option names others.
 *
 * @throws StartError without a home folder
 */
export function defaultPaths(): Paths {
  const { config, state } = folders();
  return {
    config: join(config, 'log-notify.toml'),
    file: join(state, 'notify.jsonl'),
    environmentFree: join(folders(platform(), {}).state, 'notify.jsonl'),
    spool: join(state, 'log-notify-spool'),
  };
}

const isNotFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true;
const FOLDER_ERROR = 'use the path of a file: this is a folder';

/** A filter without mistakes: with one, the person would get other notifications than wanted. */
const filter = z.string().superRefine((text, ctx) => {
  for (const problem of parseFilter(text).problems) ctx.addIssue({ code: 'custom', message: problem });
});

/** Without `insecure_http`, which only the file has. */
const serviceUrl = address.superRefine((url, ctx) => {
  const problem = addressProblem(url, false);
  if (problem !== undefined) ctx.addIssue({ code: 'custom', message: problem });
});

const service = { flag: false } as const;

export const logNotifyOptions = defineOptions(
  'LOG_NOTIFY',
  {
    config: z
      .string()
      .min(1)
      .refine(isNotFolder, FOLDER_ERROR)
      .optional()
      .meta({
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
    file: z
      .string()
      .min(1)
      .refine(isNotFolder, FOLDER_ERROR)
      .optional()
      .meta({
        placeholder: 'FILE',
        defaultText: "notify.jsonl in the user's log folder",
        defaultPath: () => defaultPaths().file,
        description: 'JSON lines file that receives the notifications.',
      }),
    ntfyTopic: topic.optional().meta({
      ...service,
      placeholder: 'TOPIC',
      description: 'Sends to this topic of ntfy. Use a name that no one can guess.',
    }),
    ntfyUrl: serviceUrl.optional().meta({
      ...service,
      placeholder: 'URL',
      defaultText: 'https://ntfy.sh',
      description: 'Your own ntfy server.',
    }),
    ntfyToken: token
      .optional()
      .meta({ ...service, placeholder: 'TOKEN', description: 'Access token of the ntfy server.' }),
    slackUrl: serviceUrl.optional().meta({
      ...service,
      placeholder: 'URL',
      description: 'Incoming webhook of Slack: https://hooks.slack.com/services/…',
    }),
    discordUrl: serviceUrl.optional().meta({
      ...service,
      placeholder: 'URL',
      description: 'Webhook of a Discord channel: https://discord.com/api/webhooks/…',
    }),
    telegramToken: botToken.optional().meta({
      ...service,
      placeholder: 'TOKEN',
      description: 'Token of a Telegram bot, from @BotFather. Needs LOG_NOTIFY_TELEGRAM_CHAT.',
    }),
    telegramChat: chat.optional().meta({
      ...service,
      placeholder: 'CHAT',
      description: 'Telegram chat that the bot writes to: a number, or the @name of a channel.',
    }),
    webhookUrl: serviceUrl.optional().meta({
      ...service,
      placeholder: 'URL',
      description: 'Any address that accepts JSON in a POST request.',
    }),
    webhookSecret: secret.optional().meta({
      ...service,
      placeholder: 'SECRET',
      description: 'Signs the requests to the webhook as Standard Webhooks specifies: whsec_ and base64.',
    }),
  },
  { httpPort: 3335 },
);

export interface LogNotifyOptions extends ServiceVariables {
  /** Path of the TOML file. */
  readonly config?: string | undefined;
  /** In the filter syntax. Takes precedence over the file. */
  readonly filter?: string | undefined;
  /** Path of the JSON lines file. Takes precedence over the TOML file. */
  readonly file?: string | undefined;
  /** Folder that holds what is accepted and not delivered yet. Default: in the user's log folder. */
  readonly spool?: string | undefined;
  /** Receives one sentence when a sink fails or a setting is invalid. Default: a line on stderr. */
  readonly report?: (sentence: string) => void;
}
