import { StartError } from '@deskside/core/errors';
import { quoted } from '@deskside/core/text';
import { type Activity, hostOf, labelOf } from '../database/model/activity.ts';
import { fold } from './fold.ts';

/** What a rule is compared with. A pattern without a prefix is `any`: all three. */
const SUBJECTS = ['app', 'site', 'title'] as const;
type Subject = (typeof SUBJECTS)[number] | 'any';

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
export interface Subjects {
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
  return 'problem' in rule ? `${quoted(text.trim())} ${rule.problem}` : undefined;
}

type ParsedRule = { readonly subject: Subject; readonly pattern: string } | { readonly problem: string };

/** A word and a colon are a prefix, never part of a text: a mistyped prefix would hide nothing. */
function parseRule(text: string): ParsedRule {
  const folded = fold(text);
  // ı and ß fold to letters of a prefix, and no prefix has them.
  const hasPrefix = !/^[^:：=＝]*[ıßẞ]/u.test(text);
  const [, word, separator, rest] = (hasPrefix && /^([a-z]+)\s*([:=])(.*)$/s.exec(folded)) || [];
  const pattern = (rest ?? folded).trim();
  const subject = word === undefined ? 'any' : SUBJECTS.find((each) => each === word);
  if (subject === undefined || separator === '=')
    return { problem: 'has no valid prefix; use app:NAME, site:DOMAIN, title:TEXT, or TEXT without a colon' };
  if (pattern === '') return { problem: 'is empty; name what to hide' };
  if (subject !== 'site') return { subject, pattern };
  // A rule for a domain matches its subdomains anyway.
  const domain = pattern.replace(/^\*\./, '');
  return /^[^/:\s]+$/.test(domain)
    ? { subject, pattern: domain }
    : { problem: 'is not a domain; use a name such as site:bank.example' };
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
  const expressions = parts.flatMap((part, index) => {
    if (part === '') return [];
    const source = part.replaceAll(/[\\^$.+()|[\]{}/]/g, String.raw`\$&`).replaceAll('?', '.');
    const isLast = index === parts.length - 1;
    return [new RegExp(`${index === 0 ? start : ''}${source}${isLast ? end : ''}`, 'gsu')];
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

export function matchesAny(rules: readonly Rule[], subjects: Subjects): boolean {
  return rules.some((rule) => matchesRule(rule, subjects));
}

export function matchesRule(
  { subject, isName, isSite, isWithin }: Rule,
  { apps, sites, title }: Subjects,
): boolean {
  if ((subject === 'app' || subject === 'any') && apps.some(isName)) return true;
  if ((subject === 'site' || subject === 'any') && sites.some(isSite)) return true;
  return (subject === 'title' || subject === 'any') && title !== undefined && isWithin(title);
}

/**
 * What all rows of a group have in common. Group names are applications on the Applications timeline and sites on the others.
 * On the timeline of a plugin they can be both.
 */
export function groupSubjects(activity: Activity): Subjects {
  const { group, timeline } = activity;
  const names = folded([group?.name, group?.commonName, labelOf(activity)]);
  const keys = folded((group?.key ?? group?.commonKey ?? '').split(';'));
  const isApplication = timeline.kind === 'applications';
  const isTitled = timeline.kind === 'documents' || timeline.kind === 'urls' || timeline.kind === 'other';
  return {
    // `app:chrome` hides chrome.exe.
    apps:
      isApplication || timeline.kind === 'other'
        ? [...names, ...keys].flatMap((name) => [name, name.replace(/\.exe$/, '')])
        : [],
    sites: isApplication ? [] : names.map(withoutDot),
    // Files, sites and what plugins track are shown by the names of their groups, which their texts need not contain.
    title: isTitled && names.length > 0 ? names.join('\n') : undefined,
  };
}

/** The title or address of a row. @param withSites whether a rule is about sites */
export function textSubjects({ timeline }: Activity, text: string | undefined, withSites = true): Subjects {
  if (text === undefined) return { apps: [], sites: [], title: undefined };
  const title = fold(text);
  if (!withSites || timeline.kind === 'applications' || !(text.includes('://') || title.includes('://')))
    return { apps: [], sites: [], title };
  return { apps: [], sites: folded([hostOf(text), hostOf(title)]).map(withoutDot), title };
}

function withoutDot(host: string): string {
  return host.replace(/\.$/, '');
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
  if (texts.length === 0 || !hasRules(rules)) return texts;
  const effects = texts.map((text) => [text, effectOnText(rules, text)] as const);
  const shown = effects
    .filter(([, effect]) => effect !== 'exclude')
    .map(([text, effect]) => (effect === 'redact' ? REDACTED : text));
  return [...new Set(shown)];
}

export const REDACTED = '[redacted]';
