import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { defineCommand, pickOptions } from '@deskside/core/program';
import { errnoOf, StartError } from '@deskside/core/errors';
import { defaultPaths, logNotifyOptions } from '../options.ts';
import { sinks } from '../sinks/index.ts';

const HEAD = `
Configuration of deskside-log-notify. The server reloads it when it changes.
Test it with: deskside-log-notify check --send, or deskside notify check --send

Which messages pass. The most specific directive decides.
filter = "info,llm_notify::warn=off,[{context=analysis}]=off"

Desktop and services: everything except errors waits until the end.
[quiet_hours]
from = "22:00"
to = "07:00"

Who gets what: the first rule that fits decides. Also: caller, context.
[[rule]]
project = "shop-*"
level = "warn"
away = "2m"                               # you have not used the computer for 2 minutes
to = ["ntfy"]
`;

/** Every line is a comment, so the file changes nothing until a person edits it. */
function template(): string {
  const text = [HEAD, ...sinks.map(({ example }) => example)].map((part) => part.trim()).join('\n\n');
  return `${text.replaceAll(/^(?=.)/gm, '# ')}\n`;
}

export const init = defineCommand({
  options: pickOptions(logNotifyOptions, ({ config }) => ({ config })),
  details: 'Every setting in the file is a comment. The command does not change an existing file.',
  examples: ['deskside-log-notify init', 'deskside-log-notify init --config ./log-notify.toml'],
  async run({ config }, { print }) {
    const path = config ?? defaultPaths().config;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await using file = await open(path, 'wx', 0o600);
      await file.writeFile(template());
    } catch (error) {
      const code = errnoOf(error);
      if (code === 'EEXIST')
        throw new StartError(`${path} exists already. Edit it, or choose another path with --config.`);
      throw new StartError(`${path} cannot be written (${code}).`, { cause: error });
    }
    print(`Created ${path}`);
    print('Edit it, then test it with "check --send" in place of "init".');
  },
});
