import { isObject } from '@deskside/core/base';
import { escapeInvisible } from '@deskside/core/text';
import { matches } from '../mounts/glob.ts';
import type { AcceptedTool, ApprovalRules } from '../mounts/mount.ts';
import { type ApprovalLevel, LEVELS } from '../profiles/profile.ts';

/** What happens to a call of a tool: it runs, it asks the person first, or it is refused. */
export type Word = 'run' | 'ask' | 'block';

export interface ToolWord {
  readonly word: Word;
  /** For people: `reads only`, `ask in deskside.toml`. */
  readonly why: string;
}

type Hinted = Pick<AcceptedTool, 'name' | 'annotations'>;

/** The hints of a tool that mean something. Everything else that a server lists there counts as missing. */
function hintsOf({ annotations }: Pick<Hinted, 'annotations'>) {
  const hints = isObject(annotations) ? annotations : {};
  const hint = (name: string) => (typeof hints[name] === 'boolean' ? hints[name] : undefined);
  return {
    readOnly: hint('readOnlyHint'),
    destructive: hint('destructiveHint'),
    openWorld: hint('openWorldHint'),
  };
}

/** What a tool claims of itself, in words. A tool that says both, that it reads only and that it destroys, destroys. */
export function claimOf(tool: Pick<Hinted, 'annotations'>): string {
  const { readOnly, destructive } = hintsOf(tool);
  if (destructive === true) return 'destroys data';
  if (readOnly === true) return 'reads only';
  if (destructive === false) return 'changes data';
  return readOnly === false ? 'may destroy data' : 'effect unknown';
}

/** As the protocol counts: what does not deny it may destroy. */
export function isDestructive(tool: Pick<Hinted, 'annotations'>): boolean {
  const { readOnly, destructive } = hintsOf(tool);
  return destructive === true || (readOnly !== true && destructive !== false);
}

/**
 * The word of a tool for a caller that is asked about everything.
 *
 * @param isSearched its client has found it by a search: what may have an effect is at least `ask`
 */
export function wordOf(tool: Hinted, rules: ApprovalRules, isSearched = false): ToolWord {
  const found = wordInList(tool, rules);
  const isRisk = found.word === 'run' && claimOf(tool) !== 'reads only';
  return isSearched && isRisk ? { word: 'ask', why: 'found by a search' } : found;
}

function wordInList(tool: Hinted, rules: ApprovalRules): ToolWord {
  for (const word of ['block', 'ask', 'run'] as const) {
    if (matches(rules[word] ?? [])(tool.name)) return { word, why: `${word} in deskside.toml` };
  }
  const { destructive, openWorld } = hintsOf(tool);
  const why = claimOf(tool);
  const isClosed = destructive === false && openWorld === false;
  if (why === 'reads only' || isClosed) return { word: 'run', why };
  return { word: 'ask', why: destructive === false ? `${why}, also elsewhere` : why };
}

/** Whether a call asks the person. What the person has set to `ask` is only spared by `off`. */
export function asksAt(level: ApprovalLevel, tool: Hinted, rules: ApprovalRules): boolean {
  if (level === 'off') return false;
  return level === 'ask' || isDestructive(tool) || matches(rules.ask ?? [])(tool.name);
}

/** The first of `LEVELS`, which are in this order. */
export function strictest(...levels: readonly (ApprovalLevel | undefined)[]): ApprovalLevel {
  return LEVELS.find((level) => levels.includes(level)) ?? 'ask';
}

const SHOWN: readonly (readonly [Word, string])[] = [
  ['ask', 'asks you first'],
  ['run', 'runs without asking you'],
  ['block', 'blocked'],
];

/**
 * What happens to calls, for a person who accepts it: a line per word and reason.
 *
 * @param warned names of tools about which there is a warning: that one reads only is the claim of its server
 */
export function wordLines(
  tools: readonly Hinted[],
  rules: ApprovalRules,
  warned: ReadonlySet<string> = new Set(),
): readonly string[] {
  const words = tools.map((tool) => {
    const { word, why } = wordOf(tool, rules);
    const isWarned = warned.has(tool.name);
    return { name: escapeInvisible(tool.name), word, why: isWarned ? `${why}, but see the warning` : why };
  });
  return SHOWN.flatMap(([word, text]) => {
    const named = words.filter((each) => each.word === word);
    return [...Map.groupBy(named, ({ why }) => why)].map(
      ([why, each]) => `${text} (${why}): ${each.map(({ name }) => name).join(', ')}`,
    );
  });
}

/** Whether rules let a call run, or ask, that was not let so before; without rules before, that the hints do not. */
export function loosens(tools: readonly Hinted[], after: ApprovalRules, before: ApprovalRules = {}): boolean {
  const rank = (tool: Hinted, rules: ApprovalRules) =>
    ['run', 'ask', 'block'].indexOf(wordOf(tool, rules).word);
  return tools.some((tool) => rank(tool, after) < rank(tool, before));
}
