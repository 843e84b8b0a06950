import { defineCommand } from '@deskside/core/program';
import { StartError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import { addToTomlList, carryOut, DESK_TABLE, planEdit } from '@deskside/connect';
import { type ReviewPart, whileLocked } from '@deskside/desktop';
import {
  partLines,
  tryServer,
  blockedBy,
  blockedLines,
  offersReading,
  callsPart,
  type Due,
  dueServers,
  type Review,
  review,
  ListingStore,
} from '@deskside/gateway/servers';
import {
  type ApprovalLevel,
  type ApprovalRules,
  loosens,
  stdioLevel,
  strictest,
  TOOLS_MODES,
  wordLines,
} from '@deskside/gateway';
import { accept, type DeskPlaces, type DeskTexts, readTexts, unlessDamaged } from '@deskside/gateway/config';
import { changesBetween } from '../config/changes.ts';
import type { DeskConfig } from '../config/desk-file.ts';
import { placesFor, read } from '../config/load.ts';
import { configOptions, flagField } from '../options.ts';
import { RESTART } from './ask-desk.ts';
import { questions, yesFlag } from './confirm.ts';
import { loginsLeft } from './remove.ts';

export const apply = defineCommand({
  options: configOptions,
  flags: {
    ...yesFlag,
    dryRun: flagField('Report problems and what waits. Starts nothing and changes nothing.'),
  },
  details:
    'Deskside runs the last accepted copy of deskside.toml, and of other servers only what you have accepted. This command shows what differs, asks, and accepts it. It starts new and changed servers of mcpServers once, after asking. Mounts with a module run code of that package as your user.',
  examples: ['deskside apply', 'deskside apply --yes', 'deskside apply --dry-run'],
  async run({ config: given, yes, dryRun }, context) {
    const { env, print } = context;
    const places = placesFor(given);
    let isDamaged = false;
    const onDamage = (file: string) => {
      isDamaged = true;
      print(escapeInvisible(`${file} is damaged. You decide on it again.`));
    };
    const shown = await readTexts(places, onDamage);
    const { current, accepted } = shown;
    if (current === undefined && given !== undefined) throw new StartError(`${given} does not exist.`);
    if (current === undefined && accepted === undefined && dryRun) {
      const next = isDamaged ? 'Run "deskside apply".' : 'Deskside runs with its defaults.';
      print(`${places.file} does not exist. ${next}`);
      return 0;
    }
    const [next, before] = [await read(current ?? ''), await read(accepted ?? '')];
    for (const { line, message } of next.problems) {
      print(escapeInvisible(`${places.file}, line ${line}: ${message}`));
    }
    if (next.problems.length > 0 && dryRun) return 1;
    if (next.problems.length > 0) throw new StartError('Nothing was applied. Correct the file.');
    const state = current === undefined ? ' does not exist. The accepted copy is in use.' : ': no problems.';
    if (dryRun) print(`${places.file}${state}`);
    const changes = changesBetween(before.config, next.config).map((change) => escapeInvisible(change));
    for (const change of changes) print(change);
    const store = new ListingStore(places.listings);
    const due = await dueServers(next.config.external, store, onDamage);
    const words = await changedWords(before.config, next.config, store);
    if (dryRun) {
      for (const line of [...words.parts.flatMap(partLines), ...waitingLines(changes.length, due)])
        print(line);
      return 0;
    }
    if (changes.length + due.length + words.parts.length > 0) {
      await using ask = questions('deskside apply', context, yes, given);
      const unknown = due.filter(({ waiting }) => waiting === undefined);
      const printed = changes.length === 0 ? [] : [changesPart(changes)];
      const isStarted =
        unknown.length === 0 ||
        (await ask.allow({ text: startQuestion(unknown), parts: [], printed, isListing: true }));
      const sources = { env, folder: places.folder };
      // Servers that have to be started start at the same time.
      const reviews = await Promise.all(
        isStarted ? due.map((each) => review(each, () => tryServer(each.id, each.server, sources))) : [],
      );
      const decision = isStarted
        ? await ask.decide({
            text: 'Apply these changes?',
            parts: [...reviews.flatMap(reviewParts), ...words.parts],
            printed,
            offersReading: offersReading(reviews),
            isListing: !allowsMore(before.config, next.config, [...reviews, ...words.known]),
          })
        : 'none';
      if (decision === 'none') {
        print('Nothing was applied.');
        return 1;
      }
      const removed = Object.keys(before.config.external).filter(
        (id) => !Object.hasOwn(next.config.external, id),
      );
      const limited = decision === 'reading' ? reviews.filter(({ acting }) => acting.length > 0) : [];
      const acceptListings = async () => {
        for (const { id, accepted: listing } of reviews)
          if (listing !== undefined) await store.accept(id, { ...listing, path: env['PATH'] });
        for (const id of removed) await store.remove(id);
      };
      const blocked = new Map(limited.map((each) => [each.id, blockedBy(each)]));
      await acceptShown(places, shown, acceptListings, blocked);
      const restarts = changes.some((change) => /^. mounts\./.test(change));
      print(restarts ? `Applied. ${RESTART}` : 'Applied. A running desk uses it.');
      for (const line of blockedLines(limited)) print(line);
      for (const line of await loginsLeft(removed)) print(line);
      return 0;
    }
    await acceptShown(places, shown, async () => {
      for (const id of Object.keys(next.config.external)) await store.widenPath(id, env['PATH']);
    });
    print('Nothing differs from the accepted copy.');
    return 0;
  },
});

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

/** The words of mounts that are new or different now. What is reviewed shows its words itself. */
async function changedWords(before: DeskConfig, next: DeskConfig, store: ListingStore) {
  const parts: ReviewPart[] = [];
  const known: Review[] = [];
  for (const id of mountsOf(next)) {
    const [former, present] = [before, next].map((config) => rulesOf(config, id));
    const accepted = await unlessDamaged(() => store.accepted(id));
    if (accepted !== undefined) known.push({ id, parts: [], accepted, acting: [] });
    if (JSON.stringify(former) === JSON.stringify(present)) continue;
    if (accepted !== undefined) parts.push(callsPart(id, wordLines(accepted.listing.tools, present ?? {})));
    else if (Object.hasOwn(next.modules, id)) {
      const text = 'Its tools ask you, unless they only read. "deskside list --tools" shows each one.';
      parts.push(callsPart(id, [text]));
    }
  }
  return { parts, known };
}

function mountsOf({ modules, external }: DeskConfig): readonly string[] {
  return [...Object.keys(modules), ...Object.keys(external)];
}

function rulesOf({ modules, external }: DeskConfig, id: string): ApprovalRules | undefined {
  const server = new Map(Object.entries({ ...modules, ...external })).get(id);
  return server && { run: server.run, ask: server.ask, block: server.block };
}

/** Whether calls run unasked that did not before, or questions go to another phone. No option accepts that: an agent could pass it. */
function allowsMore(before: DeskConfig, next: DeskConfig, reviews: readonly Review[]): boolean {
  const tools = new Map(reviews.map(({ id, accepted }) => [id, accepted?.listing.tools]));
  const isLooser = mountsOf(next).some((id) => {
    const rules = rulesOf(next, id) ?? {};
    const listed = tools.get(id);
    if (listed !== undefined) return loosens(listed, rules, rulesOf(before, id));
    // Also without `ask` or `block` before, a pattern runs more.
    const isChanged = JSON.stringify(rules) !== JSON.stringify(rulesOf(before, id));
    return isChanged && rules.run !== undefined && rules.run.length > 0;
  });
  const isOtherPhone =
    next.phone !== undefined && JSON.stringify(before.phone) !== JSON.stringify(next.phone);
  return isLooser || isOtherPhone || loosensLevels(before, next);
}

const isLaxer = (was: ApprovalLevel = 'ask', is: ApprovalLevel = 'ask') => strictest(was, is) !== is;

/** Whether a level asks about less than before. */
function loosensLevels(before: DeskConfig, next: DeskConfig): boolean {
  const names = [...before.clients.keys()];
  return (
    isLaxer(before.approvals, next.approvals) ||
    [...next.profiles].some(([name, { approvals: is, tools = 'auto' }]) => {
      const { approvals: was, tools: former = 'auto' } = before.profiles.get(name) ?? {};
      const isLaxerThere = isLaxer(stdioLevel(before.approvals, was), stdioLevel(next.approvals, is));
      return isLaxer(was, is) || isLaxerThere || TOOLS_MODES.indexOf(former) < TOOLS_MODES.indexOf(tools);
    }) ||
    names.some((name) => isLaxer(before.clients.get(name), next.clients.get(name) ?? 'off'))
  );
}

function reviewParts({ parts, accepted }: Review): readonly ReviewPart[] {
  const title = 'What it offers waits until "deskside apply" can start it.';
  return accepted === undefined ? [...parts, { title }] : parts;
}

function changesPart(changes: readonly string[]): ReviewPart {
  const lines = changes.map((text) => {
    if (text.startsWith('+')) return { text, mark: 'added' as const };
    return text.startsWith('-') ? { text, mark: 'removed' as const } : { text };
  });
  return { title: 'Changes of deskside.toml', lines };
}

function startQuestion(servers: readonly Due[]): string {
  const ids = servers.map(({ id }) => id).join(', ');
  return `Start ${ids} once to see what ${servers.length === 1 ? 'it offers' : 'they offer'}?`;
}

/**
 * Accepts the text that was shown, also if deskside.toml has changed meanwhile.
 *
 * @param shown what was compared
 * @param more what is accepted with it
 * @param blocked patterns for `block` by server: what the person left out. They are added to deskside.toml, too.
 * @throws StartError if another command has changed the accepted copy meanwhile
 */
function acceptShown(
  places: DeskPlaces,
  shown: DeskTexts,
  more: () => Promise<void>,
  blocked: ReadonlyMap<string, readonly string[]> = new Map(),
): Promise<void> {
  const edit = (text: string) =>
    [...blocked].reduce(
      (before, [id, globs]) => addToTomlList(before, DESK_TABLE.root, id, 'block', globs),
      text,
    );
  return whileLocked(places.accepted, async () => {
    let isDamaged = false;
    const { accepted } = await readTexts(places, () => (isDamaged = true));
    if (accepted !== shown.accepted && accepted !== shown.current) {
      throw new StartError(
        'Nothing was applied: another command has changed what is accepted. Run "deskside apply" again.',
      );
    }
    if (blocked.size > 0) await carryOut(await planEdit(places.file, edit), true);
    await more();
    const current = shown.current === undefined ? undefined : edit(shown.current);
    if (isDamaged || current !== accepted) await accept(places, current);
  });
}
