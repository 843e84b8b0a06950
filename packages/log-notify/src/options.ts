import { statSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { defineOptions, folders } from '@deskside/core/cli';
import * as z from 'zod';
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
const filePath = z.string().min(1).refine(isNotFolder, 'use the path of a file: this is a folder');

/** A filter without mistakes: with one, the person would get other notifications than wanted. */
const filter = z.string().superRefine((text, ctx) => {
  for (const problem of parseFilter(text).problems) ctx.addIssue({ code: 'custom', message: problem });
});

/** Without `insecure_http`, which only the file has. */
const serviceUrl = address.superRefine((url, ctx) => {
  const problem = addressProblem(url, false);
  if (problem !== undefined) ctx.addIssue({ code: 'custom', message: problem });
});

/** What the registry and `doctor` get besides the description. */
interface VariableMeta {
  readonly defaultText?: string;
  readonly isSecret?: true;
}

const SECRET: VariableMeta = { isSecret: true };

/** A setting of a service: an environment variable without a flag, so that no secret is in a list of processes. */
function variable<Schema extends z.ZodType>(
  schema: Schema,
  placeholder: string,
  description: string,
  meta: VariableMeta = {},
): z.ZodOptional<Schema> {
  return schema.optional().meta({ flag: false, placeholder, description, ...meta });
}

export const logNotifyOptions = defineOptions(
  'LOG_NOTIFY',
  {
    config: filePath.optional().meta({
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
      placeholder: 'FILE',
      defaultText: "notify.jsonl in the user's log folder",
      defaultPath: () => defaultPaths().file,
      description: 'JSON lines file that receives the notifications.',
    }),
    ntfyTopic: variable(
      topic,
      'TOPIC',
      'Sends to this topic of ntfy. Use a name that no one can guess.',
      SECRET,
    ),
    ntfyUrl: variable(serviceUrl, 'URL', 'Your own ntfy server.', { defaultText: 'https://ntfy.sh' }),
    ntfyToken: variable(token, 'TOKEN', 'Access token of the ntfy server.', SECRET),
    slackUrl: variable(
      serviceUrl,
      'URL',
      'Incoming webhook of Slack: https://hooks.slack.com/services/…',
      SECRET,
    ),
    discordUrl: variable(
      serviceUrl,
      'URL',
      'Webhook of a Discord channel: https://discord.com/api/webhooks/…',
      SECRET,
    ),
    telegramToken: variable(
      botToken,
      'TOKEN',
      'Token of a Telegram bot, from @BotFather. Needs LOG_NOTIFY_TELEGRAM_CHAT.',
      SECRET,
    ),
    telegramChat: variable(
      chat,
      'CHAT',
      'Telegram chat that the bot writes to: a number, or the @name of a channel.',
    ),
    webhookUrl: variable(serviceUrl, 'URL', 'Any address that accepts JSON in a POST request.', SECRET),
    webhookSecret: variable(
      secret,
      'SECRET',
      'Signs the requests to the webhook as Standard Webhooks specifies: whsec_ and base64.',
      SECRET,
    ),
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
