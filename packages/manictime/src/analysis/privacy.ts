import { StartError } from '@deskside/core/errors';
import { type Activity, hostOf, labelOf } from '../database/model/activity.ts';
import { contains, type Interval, union } from '../database/model/interval.ts';
import { fold } from './fold.ts';

/** What a rule is compared with. A pattern without a prefix is `any`: all three. */
type Subject = 'app' | 'site' | 'title' | 'any';

type Matcher = (text: string) => boolean;

export interface Rule {
  /** As the person wrote it. */
  readonly text: string;
  readonly subject: Subject;
  /** Matches whole names. */
  readonly isName: Matcher;
  /** Matches a domain and its subdomains. */
  readonly isSite: Matcher;
  /** Matches anywhere in a title. */
  readonly isWithin: Matcher;
}

/** What the person hides from agents: `exclude` omits activities, `redact` hides their names. */
export interface PrivacyRules {
  readonly exclude: readonly Rule[];
  readonly redact: readonly Rule[];
}

export interface PrivacyPatterns {
  readonly exclude?: readonly string[];
  readonly redact?: readonly string[];
}

/** The folded texts that a rule is compared with. A row that lacks a text does not match rules for it. */
interface Subjects {
  /** Name, executable and product of an application. */
  readonly apps: readonly string[];
  readonly sites: readonly string[];
  readonly title: string | undefined;
}

/**
 * Compiles patterns: `app:keepass*`, `site:bank.example`, `title:*salary*`, or without prefix. Wildcards: `*`, `?`.
 *
 * @throws StartError for a pattern that would hide nothing
 */
export function privacyRules({ exclude = [], redact = [] }: PrivacyPatterns): PrivacyRules {
  return { exclude: exclude.map(ruleOf), redact: redact.map(ruleOf) };
}

export function hasRules({ exclude, redact }: PrivacyRules): boolean {
  return exclude.length + redact.length > 0;
}

/** Why a pattern is invalid, in one line; undefined if it is valid. */
export function ruleProblem(text: string): string | undefined {
  const rule = parseRule(text);
  return 'problem' in rule ? `"${text.trim()}" ${rule.problem}` : undefined;
}

type ParsedRule = { readonly subject: Subject; readonly pattern: string } | { readonly problem: string };

/** A word and a colon are a prefix, never part of a text: a mistyped prefix would hide nothing. */
function parseRule(text: string): ParsedRule {
  const folded = fold(text);
  const [, word, separator, rest] = /^([a-z]+)\s*([:=])(.*)$/s.exec(folded) ?? [];
  const pattern = (rest ?? folded).trim();
  const subject = word === undefined ? 'any' : subjectOf(word);
  if (subject === undefined || separator === '=') {
    return { problem: 'has no valid prefix; use app:NAME, site:DOMAIN, title:TEXT, or TEXT without a colon' };
  }
  if (pattern === '') return { problem: 'is empty; name what to hide' };
  if (subject !== 'site') return { subject, pattern };
  // A rule for a domain matches its subdomains anyway.
  const domain = pattern.replace(/^\*\./, '');
  return /^[^/:\s]+$/.test(domain)
    ? { subject, pattern: domain }
    : { problem: 'is not a domain; use a name such as site:bank.example' };
}

function subjectOf(word: string): Subject | undefined {
  return word === 'app' || word === 'site' || word === 'title' ? word : undefined;
}

function ruleOf(text: string): Rule {
  const rule = parseRule(text);
  if ('problem' in rule) throw new StartError(`privacy rule ${ruleProblem(text)}`);
  const { subject, pattern } = rule;
  return {
    text: text.trim(),
    subject,
    isName: matcher(pattern, '^', '$'),
    isSite: matcher(pattern, String.raw`(?:^|\.)`, '$'),
    isWithin: matcher(pattern, '', ''),
  };
}

/**
 * Matches the parts between `*` one after the other, each at its first place: that leaves most for the rest, so no part
 * is tried twice and long texts take linear time. One regular expression with `.*` takes quadratic time or worse.
 */
function matcher(pattern: string, start: string, end: string): Matcher {
  const parts = pattern.split(/\*+/);
  const expressions = parts.map((part, index) => {
    const source = part.replaceAll(/[\\^$.+()|[\]{}/]/g, String.raw`\$&`).replaceAll('?', '.');
    const isLast = index === parts.length - 1;
    return new RegExp(`${index === 0 ? start : ''}${source}${isLast ? end : ''}`, 'gsu');
  });
  return (text) => {
    let reached = 0;
    return expressions.every((expression) => {
      expression.lastIndex = reached;
      const isFound = expression.test(text);
      reached = expression.lastIndex;
      return isFound;
    });
  };
}

function matchesAny(rules: readonly Rule[], subjects: Subjects): boolean {
  return rules.some((rule) => matchesRule(rule, subjects));
}

function matchesRule({ subject, isName, isSite, isWithin }: Rule, { apps, sites, title }: Subjects): boolean {
  if ((subject === 'app' || subject === 'any') && apps.some(isName)) return true;
  if ((subject === 'site' || subject === 'any') && sites.some(isSite)) return true;
  return (subject === 'title' || subject === 'any') && title !== undefined && isWithin(title);
}

/**
 * Group names are applications on the Applications timeline and sites on the others. On the timeline of a plugin they can be
 * both.
 */
function subjectsOf(activity: Activity, text = activity.name): Subjects {
  const { group, timeline } = activity;
  const title = text === undefined ? undefined : fold(text);
  const names = [group?.name, group?.commonName, labelOf(activity)];
  const keys = (group?.key ?? group?.commonKey ?? '').split(';');
  const hosts = [text ?? '', title ?? ''].map((address) => hostOf(address));
  const isApplication = timeline.kind === 'applications';
  return {
    // `app:chrome` hides chrome.exe.
    apps:
      isApplication || timeline.kind === 'other'
        ? folded([...names, ...keys]).flatMap((name) => [name, name.replace(/\.exe$/, '')])
        : [],
    sites: isApplication ? [] : folded([...names, ...hosts]).map((name) => name.replace(/\.$/, '')),
    title,
  };
}

function folded(texts: readonly (string | undefined)[]): string[] {
  return texts.flatMap((text) => (text === undefined ? [] : [fold(text)])).filter((text) => text !== '');
}

/** What the rules do with a single text, for example a tag. */
export function effectOnText(
  { exclude, redact }: PrivacyRules,
  text: string,
): 'exclude' | 'redact' | undefined {
  const subjects = { apps: [], sites: [], title: fold(text) };
  if (matchesAny(exclude, subjects)) return 'exclude';
  return matchesAny(redact, subjects) ? 'redact' : undefined;
}

/** Texts without excluded ones, and with redacted names. */
export function permittedTexts(texts: readonly string[], rules: PrivacyRules): readonly string[] {
  if (!hasRules(rules)) return texts;
  const effects = texts.map((text) => [text, effectOnText(rules, text)] as const);
  const shown = effects
    .filter(([, effect]) => effect !== 'exclude')
    .map(([text, effect]) => (effect === 'redact' ? REDACTED : text));
  return [...new Set(shown)];
}

const REDACTED = '[redacted]';

/** Application rows of a range, and the documents and websites that were open in them. Sorted by start. */
export interface ScreenRows {
  readonly applications: readonly Activity[];
  readonly documents: readonly Activity[];
}

/** When the screen may be shown. Both lists are sorted and disjoint. */
export interface ScreenTimes {
  /** When something private was in the foreground. */
  readonly hidden: readonly Interval[];
  /** When a known window was in the foreground. What other times show is not known (yet), so it is hidden. */
  readonly known: readonly Interval[];
}

/** Adds up the screen times of days that overlap each other. */
export class ScreenTimesUnion {
  readonly #hasRules: boolean;
  readonly #hidden: Interval[] = [];
  readonly #known: Interval[] = [];

  constructor(rules: PrivacyRules) {
    this.#hasRules = hasRules(rules);
  }

  add(times: ScreenTimes | undefined): void {
    this.#hidden.push(...(times?.hidden ?? []));
    this.#known.push(...(times?.known ?? []));
  }

  /** Undefined without rules. */
  finish(): ScreenTimes | undefined {
    return this.#hasRules ? { hidden: union(this.#hidden), known: union(this.#known) } : undefined;
  }
}

export interface PrivateRows extends ScreenRows {
  /** Undefined without rules. */
  readonly screen: ScreenTimes | undefined;
  /** The rows, as stored, that the rules exclude or redact, or that no known window covers. */
  readonly concealed: readonly Activity[];
  /** Those of them that no known window covers. */
  readonly unattributed: ReadonlySet<Activity>;
}

/** Which rules a row matches itself. */
interface Matches {
  readonly exclude: boolean;
  readonly redact: boolean;
}

/**
 * Omits or redacts rows that match the rules. A rule that matches a window or the website in it hides both,
 * whether the database links them or they only overlap in time. A document or website that no known window covers is
 * omitted: its window may be private, but not stored yet.
 *
 * @returns a function that compares each row with the rules once, however often it gets the row
 */
export function privacyFilter(rules: PrivacyRules): (rows: ScreenRows) => PrivateRows {
  if (!hasRules(rules)) {
    return (rows) => ({ ...rows, screen: undefined, concealed: [], unattributed: new Set() });
  }
  const compared = new WeakMap<Activity, Matches>();
  const matchesOf = (row: Activity) => {
    const known = compared.get(row);
    if (known !== undefined) return known;
    const subjects = subjectsOf(row);
    const matches = {
      exclude: matchesAny(rules.exclude, subjects),
      redact: matchesAny(rules.redact, subjects),
    };
    compared.set(row, matches);
    return matches;
  };
  return (rows) => filterRows(rows, matchesOf);
}

function filterRows(rows: ScreenRows, matchesOf: (row: Activity) => Matches): PrivateRows {
  const { applications, documents } = rows;
  const links = linksOf(rows);
  const known = union(applications);
  const excluded = affectedRows(rows, links, (row) => matchesOf(row).exclude);
  const redacted = affectedRows(rows, links, (row) => matchesOf(row).redact);
  const unattributed = new Set(
    documents.filter((row) => !excluded.has(row) && !links.has(row) && !isCovered(row, known)),
  );
  const filtered = (activities: readonly Activity[]) =>
    activities
      .filter((row) => !excluded.has(row) && !unattributed.has(row))
      .map((row) => (redacted.has(row) ? redact(row) : row));
  return {
    applications: filtered(applications),
    documents: filtered(documents),
    screen: { hidden: union([...excluded, ...redacted]), known },
    concealed: [...new Set([...excluded, ...redacted, ...unattributed])],
    unattributed,
  };
}

function isCovered({ start, end }: Interval, known: readonly Interval[]): boolean {
  const around = contains(known, start);
  return around !== undefined && end <= around.end;
}

/** The same for timelines whose rows are independent of windows. */
export function applyPrivacyToRows(
  activities: readonly Activity[],
  rules: PrivacyRules,
  titleOf: (row: Activity) => string | undefined = ({ name }) => name,
): { readonly rows: readonly Activity[]; readonly concealed: readonly Activity[] } {
  if (!hasRules(rules)) return { rows: activities, concealed: [] };
  const rows: Activity[] = [];
  const concealed: Activity[] = [];
  for (const row of activities) {
    const subjects = subjectsOf(row, titleOf(row));
    const isExcluded = matchesAny(rules.exclude, subjects);
    const isRedacted = !isExcluded && matchesAny(rules.redact, subjects);
    if (isExcluded || isRedacted) concealed.push(row);
    if (!isExcluded) rows.push(isRedacted ? redact(row) : row);
  }
  return { rows, concealed };
}

/** Ids repeat between devices. */
function idOf(row: Activity, id: number): string {
  return `${row.timeline.environment ?? ''}/${id}`;
}

/** The application row of each document that the database links to a known one. */
function linksOf({ applications, documents }: ScreenRows): Map<Activity, Activity> {
  const byId = new Map(applications.map((row) => [idOf(row, row.activityId), row]));
  const links = new Map<Activity, Activity>();
  for (const document of documents) {
    if (document.relatedId === undefined) continue;
    const application = byId.get(idOf(document, document.relatedId));
    if (application !== undefined) links.set(document, application);
  }
  return links;
}

function affectedRows(
  { applications, documents }: ScreenRows,
  links: ReadonlyMap<Activity, Activity>,
  isMatching: (row: Activity) => boolean,
): Set<Activity> {
  const matchingApps = new Set(applications.filter(isMatching));
  const matchingDocuments = new Set(documents.filter(isMatching));
  const affected = new Set([...matchingApps, ...matchingDocuments]);
  for (const [document, application] of links) {
    if (matchingDocuments.has(document)) affected.add(application);
  }
  // A link counts for all documents of a window: two pages in one window are hidden together.
  for (const [document, application] of links) if (affected.has(application)) affected.add(document);
  const unlinked = documents.filter((row) => !links.has(row));
  addOverlapping(affected, unlinked, union([...matchingApps]));
  addOverlapping(affected, applications, union(unlinked.filter((row) => matchingDocuments.has(row))));
  return affected;
}

/** @param rows sorted by start */
function addOverlapping(
  affected: Set<Activity>,
  rows: readonly Activity[],
  intervals: readonly Interval[],
): void {
  let first = 0;
  for (const row of rows) {
    while (first < intervals.length && (intervals[first]?.end ?? 0) <= row.start) first += 1;
    const interval = intervals[first];
    if (interval !== undefined && interval.start < row.end) affected.add(row);
  }
}

/** Without names and identifiers; ids tell which group a row is of. */
function redact(row: Activity): Activity {
  const group = {
    name: REDACTED,
    color: undefined,
    key: undefined,
    type: row.group?.type,
    commonId: undefined,
    commonName: undefined,
    commonKey: undefined,
  };
  return { ...row, name: REDACTED, group, groupId: undefined, groupListId: undefined, isRedacted: true };
}
