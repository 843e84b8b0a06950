import { existsSync } from 'node:fs';
import { silentLog } from '@deskside/core';
import { StartError } from '@deskside/core/errors';
import { serve } from '@deskside/core/serving';
import {
  type Command,
  type CommandContext,
  defineDoctor,
  type DoctorFact,
  type DoctorReport,
  loadOrCreateToken,
  serverSecret,
} from '@deskside/core/program';
import { openUserJournal } from '@deskside/desktop';
import { escapeInvisible } from '@deskside/core/text';
import { tryServer, loginTexts } from '@deskside/gateway/servers';
import type { ExternalServer, SecretSources } from '@deskside/gateway/config';
import { type Self, clientsFound, thisPlace, stateOf } from '@deskside/connect';
import { loadConfig } from '../config/load.ts';
import { openDesk, ruleStore } from '../open-desk.ts';
import { builtInCommands, builtInOptions, MOUNT_VARIABLES, withDemo } from '../mounts/built-in.ts';
import { httpOptions } from '../options.ts';
import { tokenFile, tokenStore } from '../tokens/tokens.ts';
import { statusOfDesk } from './ask-desk.ts';
import { stateInDesk } from './list.ts';
import { inMount, withTypedNames } from './forwarded.ts';

/** Starts everything as `deskside http` does, then stops it. */
export const doctor = (self: Self): Command =>
  defineDoctor({
    options: httpOptions,
    details: `Opens all mounts, runs their own doctors, starts each accepted server of mcpServers once, and listens on the HTTP port for a moment. ${MOUNT_VARIABLES}`,
    examples: ['deskside doctor', 'deskside doctor --port 3334'],
    async examine({ host, port, token, secret, config, mounts, noMounts, demo }, given) {
      const env = withDemo(given.env, demo);
      // Not copied: reading its streams opens stdin and stdout.
      const context: CommandContext = Object.create(given, { env: { value: env } });
      const facts: DoctorFact[] = [
        ['Token', token === undefined ? tokenFile() : 'from DESKSIDE_TOKEN', 'detail'],
      ];
      const problems = await fileProblems(token, secret);
      const ofMounts: Problem[] = [];
      let mountsWork = true;
      await unlessProblem(problems, async () => {
        await using desk = await openDesk({ config, mounts, noMounts, demo }, { env, log: silentLog });
        for (const note of desk.configNotes) {
          const [, problem = note, remedy = ''] = /^(.*) (Run .*)$/s.exec(note) ?? [];
          problems.push({ problem, remedy });
        }
        const running = await unlessProblem(problems, () => statusOfDesk(self));
        for (const mount of await desk.aggregator.mountStates()) {
          const { id, state, tools, reason } = stateInDesk(mount, running);
          facts.push([`Mount ${id}`, `${state}, ${tools} ${tools === 1 ? 'tool' : 'tools'}`]);
          if (state !== 'degraded' && reason !== undefined) facts.push(['', reason]);
          if (state === 'degraded') {
            problems.push({ problem: `Mount ${id} is degraded.`, remedy: await inDesk(id, reason ?? '') });
          }
          const own = mount.state === 'ready' ? await reportOf(id, config, context) : undefined;
          if (own === undefined) continue;
          facts.push(
            ...own.facts.map(([label, value]) => [`  ${label}`, withTypedNames(value), 'detail'] as const),
          );
          for (const { problem, remedy } of own.problems) {
            ofMounts.push({
              problem: `${id}: ${withTypedNames(problem)}`,
              remedy: await inDesk(id, remedy),
            });
          }
          mountsWork &&= own.works ?? own.problems.length === 0;
        }
        const loaded = await loadConfig(config);
        const servers = loaded?.config.external ?? {};
        const sources = { env, folder: loaded?.places.folder ?? '.' };
        const served = Object.entries(servers).filter(([name]) =>
          desk.aggregator.mounts.some(({ id }) => id === name),
        );
        const tried = served.map(async ([id, server]) => [id, await startOf(id, server, sources)] as const);
        for (const [id, { fact, problem }] of await Promise.all(tried)) {
          if (fact !== undefined) facts.push([`Server ${id}`, fact]);
          if (problem !== undefined)
            problems.push({ problem: `Server ${id} cannot be started.`, remedy: problem });
        }
        for (const [id, text] of await loginTexts(servers, env)) facts.push([`Login ${id}`, text]);
        const place = thisPlace(env);
        for (const client of clientsFound(place))
          facts.push([`Client ${client.title}`, await stateOf(client, place)]);
        for (const { id, reason } of running?.mounts ?? []) {
          if (reason === undefined || servers[id] === undefined) continue;
          const remedy = escapeInvisible(reason);
          problems.push({ problem: `Server ${id} fails in the running desk.`, remedy });
        }
        if (running?.url !== undefined && new URL(running.url).port === String(port)) {
          facts.push(['Address', `${running.url}, served by the running desk (process ${running.pid})`]);
        } else {
          const serving = await serve(desk.aggregator.routes, {
            log: silentLog,
            ownsProcess: false,
            // Rejects every call: nothing is served to anyone here.
            http: { host, port, auth: () => Promise.resolve(undefined) },
          });
          facts.push(['Address', serving.url ?? '']);
          await serving.close();
        }
      });
      return {
        program: `deskside ${self.version}`,
        facts,
        problems: [...problems, ...ofMounts],
        works: problems.length === 0 && mountsWork,
      };
    },
  });

const DATABASE_REMEDY = 'Make this folder usable, and start the desk again.';

type Problem = DoctorReport['problems'][number];

/** @returns what the work finds; undefined if a StartError stops it, which is a problem then */
async function unlessProblem<Found>(
  problems: Problem[],
  work: () => Promise<Found>,
): Promise<Found | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    problems.push({ problem: error.message, remedy: 'Correct it, then run "deskside doctor" again.' });
    return undefined;
  }
}

/** Of the files that a desk and its commands read. With a token the secret is not created. */
async function fileProblems(token: string | undefined, secret: string | undefined): Promise<Problem[]> {
  const problems: Problem[] = [];
  const readers = [
    async () => token ?? (existsSync(tokenFile()) && loadOrCreateToken(tokenFile())),
    () => serverSecret({ secret, token: token ?? '' }),
    () => tokenStore().list(),
    () => ruleStore().list(),
  ];
  for (const read of readers) await unlessProblem<unknown>(problems, read);
  await using journal = openUserJournal(silentLog);
  await journal.records({ limit: 1 });
  if (journal.problem !== undefined) problems.push({ problem: journal.problem, remedy: DATABASE_REMEDY });
  return problems;
}

/** The advice of a mount's own program, with the names of what it has here. */
async function inDesk(id: string, advice: string): Promise<string> {
  const { settings = [] } = (await builtInOptions())[id] ?? {};
  return withTypedNames(advice).replaceAll(/--([a-z][a-z-]*)/g, (option, flag: string) =>
    settings.some((setting) => setting.flag === flag)
      ? `${flag.replaceAll('-', '_')} under [mounts.${id}] in deskside.toml`
      : option,
  );
}

/** What the doctor of a mount's own program finds, with the settings that the mount has here. */
async function reportOf(
  id: string,
  config: string | undefined,
  context: CommandContext,
): Promise<DoctorReport | undefined> {
  const doctorOf = (await builtInCommands(id))['doctor'];
  const command = await doctorOf?.load();
  if (command === undefined || !('report' in command)) return undefined;
  return command.report?.({}, await inMount(id, context, config));
}

/** What a start of a server of other people shows. */
async function startOf(
  id: string,
  server: ExternalServer,
  sources: SecretSources,
): Promise<{ readonly fact?: string; readonly problem?: string }> {
  try {
    const { tools, protocolVersion } = (await tryServer(id, server, sources)).listing;
    const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`;
    return { fact: escapeInvisible(`starts, MCP ${protocolVersion}, ${count}`) };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return { problem: escapeInvisible(error.message) };
  }
}
