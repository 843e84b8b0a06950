import { type Activity, labelOf } from '../timeline/activity.ts';

/** What a rule looks at; without a word before the colon, at all three. */
type Subject = 'app' | 'site' | 'title' | 'any';

interface Rule {
  readonly subject: Subject;
  /** For names as a whole. */
  readonly whole: RegExp;
  /** For titles: anywhere in them. */
  readonly within: RegExp;
}

/** What the person does not want an agent to see: left out, or shown without its name. */
export interface PrivacyRules {
  readonly exclude: readonly Rule[];
  readonly redact: readonly Rule[];
}

export interface PrivacyPatterns {
  readonly exclude?: readonly string[];
  readonly redact?: readonly string[];
}

/** The texts that a rule may match. */
export interface Subjects {
  /** Name, executable and product of an application. */
  readonly apps: readonly string[];
  readonly sites: readonly string[];
  readonly title: string;
}

/** Patterns as `app:keepass*`, `site:bank.example`, `title:*salary*` or a bare one of these; `*` and `?` are wild. */
export function privacyRules({ exclude = [], redact = [] }: PrivacyPatterns): PrivacyRules {
  return { exclude: exclude.map(ruleOf), redact: redact.map(ruleOf) };
}

export function hasRules({ exclude, redact }: PrivacyRules): boolean {
  return exclude.length + redact.length > 0;
}

export function matches(rules: readonly Rule[], { apps, sites, title }: Subjects): boolean {
  return rules.some(({ subject, whole, within }) => {
    const app = (subject === 'app' || subject === 'any') && apps.some((name) => whole.test(name));
    const site = (subject === 'site' || subject === 'any') && sites.some((name) => whole.test(name));
    return app || site || ((subject === 'title' || subject === 'any') && within.test(title));
  });
}

/** Names of groups count as applications on the Applications timeline, as sites on the others. */
export function subjectsOf(activity: Activity): Subjects {
  const { group, name = '', timeline } = activity;
  const names = [group?.name, group?.commonName, labelOf(activity)].filter((text) => text !== undefined);
  if (timeline.kind === 'applications') {
    return { apps: [...names, ...(group?.key ?? group?.commonKey ?? '').split(';')], sites: [], title: name };
  }
  return { apps: [], sites: [...names, hostOf(name)].flatMap(withParents), title: name };
}

export function hostOf(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@?#]*@)?([^/:?#]+)/i.exec(url)?.[1] ?? '';
}

/** `a.b.example` is also of `b.example`. */
function withParents(site: string): string[] {
  const labels = site.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

function ruleOf(text: string): Rule {
  const [, word, pattern = ''] = /^(?:(app|site|title):)?(.*)$/s.exec(text.trim()) ?? [];
  const source = pattern
    .trim()
    .replaceAll(/[\\^$.+()|[\]{}/]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return {
    subject: word === 'app' || word === 'site' || word === 'title' ? word : 'any',
    whole: new RegExp(`^${source}$`, 'isu'),
    within: new RegExp(source, 'isu'),
  };
}
