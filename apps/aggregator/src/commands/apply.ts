import { type Command, type CommandContext, defineCommand } from '@deskside/core/cli';
import { StartError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import * as z from 'zod';
import { type Due, dueServers, type Review, review } from '../acceptance/review.ts';
import { ListingStore } from '../acceptance/store.ts';
import { readTexts } from '../config/accepted.ts';
import { changesBetween } from '../config/changes.ts';
import type { DeskConfig } from '../config/desk-file.ts';
import { placesFor, read } from '../config/load.ts';
import { acceptShown } from './change-servers.ts';
import { configured } from '../external/configured.ts';
import { systemTransports } from '../external/transport.ts';
import { startOnTrial } from '../external/trial.ts';
import { configOptions } from '../options.ts';
import { RESTART } from './ask-desk.ts';
import { type Questions, questions, yesFlag } from './confirm.ts';

export const apply = defineCommand({
  options: configOptions,
  flags: {
    ...yesFlag,
    dryRun: z.boolean().default(false).meta({
      description: 'Report problems and what waits. Starts nothing and changes nothing.',
    }),
  },
  details:
    'Deskside runs the last accepted copy of deskside.toml, and of other servers only what you have accepted. This command shows what differs, asks, and accepts it. It starts new and changed servers of mcpServers once, after asking. Mounts with a module run code of that package as your user.',
  examples: ['deskside apply', 'deskside apply --yes', 'deskside apply --dry-run'],
  async run({ config: given, yes, dryRun }, context) {
    const { print } = context;
    const places = placesFor(given);
    const shown = await readTexts(places);
    const { current, accepted } = shown;
    if (current === undefined && given !== undefined) throw new StartError(`${given} does not exist.`);
    if (current === undefined && dryRun) {
      print(`${places.file} does not exist. Deskside runs with its defaults.`);
      return 0;
    }
    const [next, before] = [await read(current ?? ''), await read(accepted ?? '')];
    for (const { line, message } of next.problems) {
      print(escapeInvisible(`${places.file}, line ${line}: ${message}`));
    }
    if (next.problems.length > 0 && dryRun) return 1;
    if (next.problems.length > 0) throw new StartError('Nothing was applied. Correct the file.');
    if (dryRun) print(`${places.file}: no problems.`);
    const changes = changesBetween(before.config, next.config);
    for (const change of changes) print(escapeInvisible(change));
    const store = new ListingStore(places.listings);
    const due = await dueServers(next.config.external, store);
    if (dryRun) {
      for (const line of waitingLines(changes.length, due)) print(line);
      return 0;
    }
    if (changes.length + due.length > 0) {
      await using ask = questions(context, yes);
      const unknown = due.filter(({ waiting }) => waiting === undefined);
      const isStarted = unknown.length === 0 || (await ask.confirm(startQuestion(unknown)));
      const reviews = isStarted ? await allReviews(due, places.folder, context, ask) : [];
      if (!isStarted || !(await ask.confirm('Apply these changes?'))) {
        print('Nothing was applied.');
        return 1;
      }
      await acceptShown(places, shown, () => acceptListings(reviews, before.config, next.config, store));
      const restarts = changes.some((change) => /^. mounts\./.test(change));
      print(restarts ? `Applied. ${RESTART}` : 'Applied. A running desk uses it.');
      return 0;
    }
    print('Nothing differs from the accepted copy.');
    await acceptShown(places, shown, () => Promise.resolve());
    return 0;
  },
});

/** Another name of `apply --dry-run`. */
export const check: Command = {
  ...apply,
  settings: configOptions.settings,
  details: 'The exit code is 1 if the file has problems. The command starts nothing and changes nothing.',
  examples: ['deskside check', 'deskside check --config ./deskside.toml'],
  run: (flags, context) => apply.run({ ...flags, 'dry-run': true }, context),
};

/** What waits to be accepted: changes of the file, and what its servers have changed since. */
function waitingLines(count: number, due: readonly Due[]): readonly string[] {
  const changes = count === 0 ? [] : [`${count} ${count === 1 ? 'change waits' : 'changes wait'}`];
  const servers = due.map(({ id, waiting: { changes: { length } = [] } = {} }) =>
    length === 0
      ? `${id} waits`
      : `${length} ${length === 1 ? 'part' : 'parts'} of ${id} ${length === 1 ? 'waits' : 'wait'}`,
  );
  return [...changes, ...servers].map((text) => `${text} for "deskside apply".`);
}

function startQuestion(servers: readonly Due[]): string {
  const [only, ...others] = servers.map(({ id }) => id);
  return others.length === 0
    ? `Start ${only} once to see what it offers?`
    : `Start ${[only, ...others].join(', ')} once to see what they offer?`;
}

/** Servers that have to be started start at the same time. */
async function allReviews(
  due: readonly Due[],
  folder: string,
  { env, print }: CommandContext,
  ask: Questions,
): Promise<readonly Review[]> {
  const reviews = await Promise.all(
    due.map((each) =>
      review(each, () =>
        startOnTrial(each.id, configured(each.server, { env, folder }), systemTransports(env)),
      ),
    ),
  );
  for (const { lines, accepted } of reviews) {
    ask.show(lines);
    if (accepted === undefined) print('  What it offers waits until "deskside apply" can start it.');
  }
  return reviews;
}

async function acceptListings(
  reviews: readonly Review[],
  before: DeskConfig,
  next: DeskConfig,
  store: ListingStore,
): Promise<void> {
  for (const { id, accepted } of reviews) if (accepted !== undefined) await store.accept(id, accepted);
  const removed = Object.keys(before.external).filter((id) => !Object.hasOwn(next.external, id));
  for (const id of removed) await store.remove(id);
}
