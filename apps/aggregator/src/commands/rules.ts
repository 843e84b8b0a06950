import { silentLog } from '@deskside/core';
import { parsedJson } from '@deskside/core/base';
import { defineCommand } from '@deskside/core/program';
import { localDateTime } from '@deskside/core/dates';
import { identityName, StartError } from '@deskside/core/errors';
import { escapeInvisible, quoted } from '@deskside/core/text';
import * as z from 'zod';
import { type Mount, type NewRule, type Rule, claimOf, isDestructive } from '@deskside/gateway';
import { openDesk, ruleStore } from '../open-desk.ts';
import { digestOf } from '@deskside/desktop';
import { BUILT_IN_IDS } from '../mounts/built-in.ts';
import { configOptions } from '../options.ts';
import { questions, yesFlag } from './confirm.ts';
import { factPart, record } from './person.ts';
import { printRows } from './table.ts';
import { MAIN_TOKEN, tokenStore } from '../tokens/tokens.ts';

const MODES = 'Rules say which calls of other servers always run, and which never.';

const whose = {
  as: z.string().min(1).optional().meta({
    placeholder: 'NAME',
    description:
      'The client with this name; "connect" gives each its id. Default: only clients without a name.',
  }),
  token: z.string().min(1).optional().meta({
    placeholder: 'NAME',
    description: 'The client with this token instead; main is that of "token show".',
  }),
};

export const rules = defineCommand({
  operands: '[list]',
  details: `${MODES} They come from "Always allow" in the window, and from "rules allow" and "rules deny". A rule that allows counts for one definition of the tool; if the server changes it, you are asked again.`,
  examples: ['deskside rules', 'deskside rules remove 1f0c9a22'],
  async run(_, context) {
    const { operands, print } = context;
    if (operands.length > 0 && operands.join(' ') !== 'list')
      throw new StartError('Pass nothing, list, allow, deny or remove.');
    const all = await ruleStore().list();
    if (all.length === 0)
      print('No rules. Calls that need an approval ask you. To add one: deskside rules allow MOUNT TOOL');
    printRows(all.map(lineOf), context);
  },
});

export const rulesAllow = defineCommand({
  options: configOptions,
  flags: {
    ...whose,
    arguments: z.string().optional().meta({
      placeholder: 'JSON',
      description: 'Only calls with exactly these arguments. A tool that can destroy data needs them.',
    }),
    ...yesFlag,
  },
  operands: 'MOUNT TOOL',
  details: `${MODES} You are asked in a window of the popup, or at the terminal.`,
  examples: ['deskside rules allow shop send_mail --as codex'],
  async run({ yes, config, arguments: json, ...who }, context) {
    const [mount = '', name = ''] = context.operands;
    await using desk = await openDesk({ config }, { env: context.env, log: silentLog });
    const found = desk.aggregator.mounts.find(({ id }) => id === mount);
    if (found?.approvals === undefined)
      throw new StartError(`${quoted(mount)} is neither another server nor a module. Run "deskside list".`);
    const tool = await toolNamed(found, name, desk.user);
    if (tool === undefined)
      throw new StartError(`${mount} has no tool ${quoted(name)}. Run "deskside list --tools".`);
    if (isDestructive(tool) && json === undefined) {
      throw new StartError(`${name} (${claimOf(tool)}): pass --arguments with the only call to allow.`);
    }
    const rule: NewRule = {
      word: 'allow',
      mount,
      tool: tool.name,
      definition: digestOf(tool.definition),
      ...(json === undefined ? {} : { arguments: digestOf(parsed(json)) }),
      ...(await callerFrom(who, desk.user)),
    };
    await using ask = questions('deskside rules allow', context, yes, config);
    const parts = [
      factPart('for', callerText(rule)),
      ...(json === undefined ? [] : [factPart('arguments', json)]),
    ];
    const text = `Always allow ${mount} › ${tool.name}?`;
    if (!(await ask.allow({ text, parts, item: { mount, tool: tool.name } }))) {
      context.note('Nothing was changed.');
      return 1;
    }
    context.print(lineOf(await ruleStore().add(rule)));
    return 0;
  },
});

export const rulesDeny = defineCommand({
  options: configOptions,
  flags: whose,
  operands: 'MOUNT TOOL',
  details: `${MODES} TOOL is the server's own name.`,
  examples: ['deskside rules deny shop drop_table --as codex'],
  async run({ config, ...who }, context) {
    const [mount = '', tool = ''] = context.operands;
    await using desk = await openDesk({ config }, { env: context.env, log: silentLog });
    // A module that cannot be opened now has no approvals, and can be denied all the same.
    const found = desk.aggregator.mounts.find(({ id }) => id === mount);
    if (found === undefined || BUILT_IN_IDS.includes(mount))
      throw new StartError(`${quoted(mount)} is neither another server nor a module. Run "deskside list".`);
    const caller = await callerFrom(who, desk.user);
    if ((await toolNamed(found, tool, desk.user)) === undefined)
      context.note(`${mount} has no tool ${quoted(tool)} now.`);
    const added = await ruleStore().add({ word: 'deny', mount, tool, ...caller });
    const denied = { text: `Deny ${mount} ${tool}`, item: { mount, tool } };
    await record('deskside rules deny', denied, 'denied', 'terminal');
    context.print(lineOf(added));
    if (who.as === undefined && who.token === undefined)
      context.note('Other clients are still asked: --as and --token name them.');
  },
});

export const rulesRemove = defineCommand({
  options: configOptions,
  flags: yesFlag,
  operands: 'ID',
  details:
    'A rule that denies is removed only after asking you, in a window of the popup or at the terminal.',
  examples: ['deskside rules remove 1f0c9a22'],
  async run({ yes, config }, context) {
    const [id = ''] = context.operands;
    const found = (await ruleStore().list()).find((rule) => rule.id === id);
    if (found?.word === 'deny') {
      const { mount, tool } = found;
      await using ask = questions('deskside rules remove', context, yes, config);
      const text = `Stop denying ${mount} › ${tool}?`;
      const parts = [factPart('for', callerText(found))];
      if (!(await ask.allow({ text, parts, item: { mount, tool } }))) {
        context.note('Nothing was changed.');
        return 1;
      }
    }
    const removed = await ruleStore().remove(id);
    context.print(`Removed: ${lineOf(removed)}`);
    return 0;
  },
});

function parsed(json: string): unknown {
  const value = parsedJson(json);
  if (value === undefined)
    throw new StartError(`--arguments is not JSON. Example: --arguments '{"table":"orders"}'`);
  return value;
}

/** By the server's own name, as "list --tools" shows it, before the one that agents use. */
async function toolNamed({ approvals, definition }: Mount, name: string, user: string) {
  const view = { era: 'modern', toolName: identityName, principal: { user } } as const;
  const listed = await definition.listTools(view);
  const all = await Promise.all(listed.map(async (each) => approvals?.toolOf(each.name, view)));
  return all.find((each) => each?.name === name) ?? approvals?.toolOf(name, view);
}

type Whose = Pick<Rule, 'user' | 'transport' | 'token'>;

/** @throws StartError for a token that does not exist */
async function callerFrom({ as, token }: z.output<z.ZodObject<typeof whose>>, user: string): Promise<Whose> {
  if (as !== undefined && token !== undefined) throw new StartError('Pass --as or --token.');
  if (token === undefined) return { user, transport: 'stdio', ...(as === undefined ? {} : { token: as }) };
  if (token === MAIN_TOKEN) return { user, transport: 'http' };
  const found = await tokenStore().get(token);
  return { user: found.user ?? user, transport: 'http', token };
}

function callerText({ user, transport, token }: Whose): string {
  const name = token === undefined ? 'clients without a name' : token;
  return transport === 'http' ? `token ${token ?? MAIN_TOKEN} of ${user}` : `${name} of ${user}`;
}

/** `1f0c9a22  allow  shop send_mail  codex of owner, with exactly the arguments of 2026-11-22 10:31:07` */
function lineOf(rule: Rule): string {
  const { id, word, mount, tool, created } = rule;
  const at = localDateTime(new Date(created));
  const exact = rule.arguments === undefined ? `since ${at}` : `with exactly the arguments of ${at}`;
  return escapeInvisible(
    `${id}  ${word.padEnd(5)}  ${`${mount} ${tool}`.padEnd(28)}  ${callerText(rule)}, ${exact}`,
  );
}
