import { chmod, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { defineCommand, pickOptions } from '@deskside/core/cli';
import { errnoOf, StartError } from '@deskside/core/errors';
import { defaultPaths, logNotifyOptions } from '../options.ts';

/** Every setting is a comment, so the file changes nothing until a person edits it. */
const TEMPLATE = `# Configuration of deskside-log-notify. The server reloads it when it changes.
# Test it with: deskside-log-notify check --send

# Which messages pass. The most specific directive decides.
# filter = "info,llm_notify::warn=off,[{context=analysis}]=off"

# Desktop and services: everything except errors waits until the end.
# [quiet_hours]
# from = "22:00"
# to = "07:00"

# [desktop]
# level = "warn"                            # info, warn or error
# exclude_contexts = ["performance"]

# A message on your phone: install the app ntfy and subscribe to the topic. Use a topic that no one can guess.
# [[ntfy]]
# topic = "my-desk-7f3a9c"
# level = "warn"
# url = "https://ntfy.example.com"          # default: https://ntfy.sh
# token = "tk_…"

# Slack: create an incoming webhook at https://api.slack.com/apps
# [[slack]]
# url = "https://hooks.slack.com/services/…"

# Discord: channel settings, Integrations, Webhooks
# [[discord]]
# url = "https://discord.com/api/webhooks/…"

# Telegram: create a bot with @BotFather, write to it, and use the id of that chat.
# [[telegram]]
# token = "123456:ABC…"
# chat = "987654"

# Any other address. Without "body" it gets JSON in the form of Standard Webhooks.
# [[webhook]]
# url = "https://example.org/notify"
# secret = "whsec_…"                        # signs the requests
# digest = "15m"                            # one summary per period, except for errors
# body = '{"content": {{ message | json }}, "from": {{ caller | json }}}'

# An apprise-api server in your own network, without encryption
# [[apprise]]
# url = "http://192.168.1.5:8000"
# insecure_http = true
# key = "desk"
`;

export const init = defineCommand({
  options: pickOptions(logNotifyOptions, ({ config }) => ({ config })),
  details: 'Every setting in the file is a comment. The command does not change an existing file.',
  examples: ['deskside-log-notify init', 'deskside-log-notify init --config ./log-notify.toml'],
  async run({ config }, { print }) {
    const path = config ?? defaultPaths().config;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await using file = await open(path, 'wx', 0o600);
      await file.writeFile(TEMPLATE);
    } catch (error) {
      const code = errnoOf(error);
      if (code === 'EEXIST')
        throw new StartError(`${path} exists already. Edit it, or choose another path with --config.`);
      throw new StartError(`${path} cannot be written (${code}).`, { cause: error });
    }
    await chmod(path, 0o600);
    print(`Created ${path}`);
    print('Edit it, then run: deskside-log-notify check --send');
  },
});
