/**
 * The variables of a URI template, decoded. Those of a query are optional, as RFC 6570 leaves out what is undefined.
 *
 * @typeParam Template for example `notes://{folder}{?tag,page}`
 */
export type UriVariables<Template extends string> = string extends Template
  ? Readonly<Record<string, string | undefined>>
  : { readonly [Name in Names<PathExpressions<Template>>]: string } & {
      readonly [Name in Names<QueryExpressions<Template>>]?: string;
    };

type Expressions<Template extends string> = Template extends `${string}{${infer Expression}}${infer Rest}`
  ? Expression | Expressions<Rest>
  : never;
type QueryExpressions<Template extends string> = Extract<Expressions<Template>, `${'?' | '&'}${string}`>;
type PathExpressions<Template extends string> = Exclude<Expressions<Template>, `${'?' | '&'}${string}`>;
type Names<Expression extends string> = Expression extends `${'?' | '&' | '+' | '/'}${infer List}`
  ? Names<List>
  : Expression extends `${infer First},${infer Rest}`
    ? Names<First> | Names<Rest>
    : Expression extends `${infer Name}*`
      ? Name
      : Expression;

/** A URI template that can be matched. */
export interface UriMatcher {
  readonly variableNames: readonly string[];
  /** @returns the decoded variables, undefined if the URI does not match or contains an invalid escape */
  match(uri: string): Readonly<Record<string, string>> | undefined;
}

const QUERY = /^[?&]/;
const NAME = /^[A-Za-z0-9_]+$/;

/** Longer URIs do not match, because matching takes up to quadratic time. */
const MAX_URI_CHARACTERS = 8192;

/**
 * Reads the part of RFC 6570 that can be matched: `{a}` is a path segment or a part of it, `{+a}` and `{a*}` may contain
 * slashes, `{/a,b}` are path segments. `{?a,b}` and `{&a}` at the end are a query in any order, and each of its variables
 * may be missing.
 *
 * @throws Error that names the unsupported part
 */
export function uriMatcher(template: string): UriMatcher {
  const parts = template.split(/\{([^{}]*)\}/);
  const expressions = parts.filter((_, index) => index % 2 === 1);
  const queryNames = new Set(expressions.filter((part) => QUERY.test(part)).flatMap(namesOf));
  const pathNames = expressions.filter((part) => !QUERY.test(part)).flatMap(namesOf);
  const variableNames = [...pathNames, ...queryNames];
  checkNames(template, variableNames);
  const head = new RegExp(
    `^${parts.map((part, index) => (index % 2 === 0 ? literal(part) : patternOf(part))).join('')}$`,
  );
  return {
    variableNames,
    match(uri) {
      if (uri.length > MAX_URI_CHARACTERS) return undefined;
      const query = queryNames.size === 0 ? { rest: uri, found: [] } : splitQuery(uri, queryNames);
      const values = head.exec(query.rest)?.slice(1);
      if (values === undefined) return undefined;
      const raw = [...query.found, ...pathNames.map((name, index) => [name, values[index] ?? ''] as const)];
      return decoded(raw);
    },
  };
}

/** Whether a URI has the form of a template such as `todo://tasks/{id}`; false for a template that is not supported. */
export function matchesUriTemplate(uriTemplate: string, uri: string): boolean {
  try {
    return uriMatcher(uriTemplate).match(uri) !== undefined;
  } catch {
    return false;
  }
}

function namesOf(expression: string): readonly string[] {
  return expression
    .replace(/^[?&+/]/, '')
    .split(',')
    .map((name) => name.replace(/\*$/, ''));
}

function checkNames(template: string, names: readonly string[]): void {
  if (/[{}]/.test(template.replaceAll(/\{[^{}]*\}/g, ''))) throw new Error('A brace is missing');
  if (/\{[?&][^}]*\}(?!$|\{[?&])/.test(template))
    throw new Error('Variables of the query must be at the end');
  if (/\{&/.test(template) && !/\?.*\{&/.test(template))
    throw new Error('{&…} continues a query: begin it with {?…}');
  const wrong = names.find((name) => !NAME.test(name));
  if (wrong !== undefined) {
    throw new Error(
      `{${wrong}} is not supported. Use {a}, {+a}, {/a,b}, {?a,b} or {&a} with letters, digits and "_"`,
    );
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`The variable "${twice}" occurs twice`);
}

function patternOf(expression: string): string {
  if (QUERY.test(expression)) return '';
  const [operator] = expression;
  const names = expression.split(',');
  const values = names.map((name) => {
    if (operator === '+' || name.endsWith('*')) return '(.+)';
    return names.length > 1 && operator !== '/' ? '([^/,]+)' : '([^/]+)';
  });
  return operator === '/' ? values.map((value) => `/${value}`).join('') : values.join(',');
}

/** RFC 6570: clients percent-encode characters outside ASCII. Both forms match. */
function literal(text: string): string {
  const plain = text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
  return plain.replaceAll(/[^\0-\x7f]+/g, (letters) => `(?:${letters}|${encodeURIComponent(letters)})`);
}

/** Takes the variables out of the query, wherever they are. */
function splitQuery(uri: string, names: ReadonlySet<string>) {
  const start = uri.indexOf('?');
  if (start === -1) return { rest: uri, found: [] };
  const found: (readonly [string, string])[] = [];
  const others: string[] = [];
  for (const pair of uri.slice(start + 1).split('&')) {
    const [name = '', value] = pair.split(/=(.*)/s);
    if (value !== undefined && names.has(name) && !found.some(([known]) => known === name))
      found.push([name, value]);
    else others.push(pair);
  }
  const rest = others.length === 0 ? '' : `?${others.join('&')}`;
  return { rest: uri.slice(0, start) + rest, found };
}

function decoded(raw: readonly (readonly [string, string])[]): Readonly<Record<string, string>> | undefined {
  try {
    return Object.fromEntries(raw.map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    // The URI contains an invalid escape, such as "100%".
    return undefined;
  }
}
