import type { ServerDefinition } from '@deskside/core';
import { StartError } from '@deskside/core/errors';
import { type Options, readOptions, type Setting } from '@deskside/core/program';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { connectInProcess } from './connect.ts';

type Environment = Readonly<Record<string, string>>;

/** Each option accepts one of these that is not its default. */
const VALUES = [
  'true',
  'false',
  '7',
  'changed',
  'light',
  'chromium',
  'changed=other',
  'all',
  'off',
  '/nowhere/changed',
  'https://example.org/changed',
  'postgres://example.org/changed',
  `whsec_${'A'.repeat(32)}`,
];

interface ServerWithOptions<Schema extends z.ZodObject, Opened extends AsyncDisposable> {
  readonly options: Options<Schema>;
  readonly open: (values: z.output<Schema>) => Opened;
  readonly definition: (opened: Opened) => ServerDefinition;
  /** Variables that every server is opened with. */
  readonly env?: Environment;
}

/**
 * Tests that only options with `changesListing` change what a server lists: tools, prompts, resources and
 * instructions.
 */
export function describeOptions<Schema extends z.ZodObject, Opened extends AsyncDisposable>({
  options,
  open,
  definition,
  env = {},
}: ServerWithOptions<Schema, Opened>): void {
  const read = (changed: Environment) => readOptions(options, { flags: {}, env: { ...env, ...changed } });
  const listing = async (values: z.output<Schema>) => {
    await using opened = open(values);
    await using peer = await connectInProcess(definition(opened), { era: 'modern', over: 'stdio' });
    const { client, instructions } = peer;
    const capabilities = client.getServerCapabilities();
    return {
      instructions,
      capabilities,
      tools: await peer.listTools(),
      prompts: capabilities?.prompts === undefined ? [] : await client.listPrompts(),
      resources: capabilities?.resources === undefined ? [] : await client.listResources(),
      templates: capabilities?.resources === undefined ? [] : await client.listResourceTemplates(),
    };
  };

  /** The options with another value for one of them. */
  function changed({ key, env: name = '' }: Setting): z.output<Schema> {
    const before = JSON.stringify(read({})[key]);
    for (const value of VALUES) {
      try {
        const values = read({ [name]: value });
        if (JSON.stringify(values[key]) !== before) return values;
      } catch (error) {
        if (!(error instanceof StartError)) throw error;
      }
    }
    throw new Error(`${key} accepts none of VALUES: add one that it accepts.`);
  }

  const unmarked = options.settings.filter(({ changesListing }) => !changesListing);
  test.each(unmarked)('the option $key does not change what the server lists', async (setting) => {
    expect(await listing(changed(setting))).toStrictEqual(await listing(read({})));
  });
}
