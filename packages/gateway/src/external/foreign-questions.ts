import { UserError } from '@deskside/core/errors';
import { isObject } from '@deskside/core/base';
import { escapeInvisible } from '@deskside/core/text';
import { ProtocolError, type Result } from '@modelcontextprotocol/client';

/** The name of a secret at the end of a name or title: a secret in front names something else ("token budget"). */
const SECRET = new RegExp(
  [
    String.raw`(?:pass ?(?:word|wd|phrase|code)s?|secrets?|(?:api|private|access|secret) ?keys?|credentials?|one time code)`,
    String.raw`\b(?:tokens?|cvv|otp)`,
    String.raw`(?:^|\b(?:your|my|the|new|old|current|card|sim|bank|account|user|login|enter|confirm) )pin`,
  ]
    .map((name) => `${name}(?: (?:again|confirmation|value))?$`)
    .join('|'),
  'i',
);
const CLAUSE_END = /[(),:;.?!]/;
/** What follows says more about it: "API key for GitHub". */
const MORE = /(?<!\b(?:type|fill|put)) (?:of|for|from|in|on|to|with|at)\b.*/is;

const TEXTS: ReadonlySet<string> = new Set(['title', 'description', 'enumNames']);

const URL_ELICITATION_REQUIRED = -32_042;

type Params = Readonly<Record<string, unknown>> | undefined;

/**
 * A question of an external server as its caller gets it. The client shows it as a question of Deskside, so it names the
 * server, and the host of an address.
 *
 * @throws UserError for a question that asks for a secret, and for an address that is not http or https
 */
export function foreignQuestion(id: string, method: string, params: Params): Params {
  if (method !== 'elicitation/create' || params === undefined) return params;
  if (asksForSecret(params)) {
    throw new UserError({
      error: `${id} asks for a password or key. Deskside does not pass such a question.`,
      code: 'REFUSED',
      hint: `The person can give it to ${id} in deskside.toml: \${file:PATH} in env or headers.`,
    });
  }
  const { message, url, requestedSchema } = params;
  const address = typeof url === 'string' ? URL.parse(url) : null;
  // Others have no host to show, and may run what they contain.
  if (url !== undefined && url !== null && !/^https?:$/.test(address?.protocol ?? '')) {
    throw new UserError({
      error: `${id} asks to open an address that is not http or https. Deskside does not pass such a question.`,
      code: 'REFUSED',
      hint: 'Report it to the author of this server.',
    });
  }
  const text = escapeInvisible(String(message), { multiline: true });
  return {
    ...params,
    message: address === null ? `[${id}] ${text}` : `[${id}] ${text} (opens ${address.host})`,
    // As it was parsed, without invisible characters.
    ...(address === null ? {} : { url: address.href }),
    ...(requestedSchema === undefined ? {} : { requestedSchema: withPlainTexts(requestedSchema) }),
  };
}

/** The texts of a form that a person reads. The values stay: the answer must be one of them. */
function withPlainTexts(value: unknown, isShown = false): unknown {
  if (typeof value === 'string') return isShown ? escapeInvisible(value, { multiline: true }) : value;
  if (Array.isArray(value)) return value.map((each) => withPlainTexts(each, isShown));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => {
    const isText = TEXTS.has(key) && !isObject(member);
    return [key, withPlainTexts(member, isText)] as const;
  });
  return Object.fromEntries(members);
}

/** An error that demands that the person visits addresses is a question, too. */
export function foreignError(id: string, error: ProtocolError): ProtocolError {
  if (!demandsVisit(error)) return error;
  return new ProtocolError(error.code, `[${id}] ${escapeInvisible(error.message, { multiline: true })}`, {
    elicitations: visitsOf(error).map((each) => foreignQuestion(id, 'elicitation/create', each)),
  });
}

export function demandsVisit(error: unknown): error is ProtocolError {
  return error instanceof ProtocolError && error.code === URL_ELICITATION_REQUIRED;
}

/** The same for a caller of the modern era, which has no such error. */
export function visitNeeded(error: ProtocolError): UserError {
  const addresses = visitsOf(error)
    .filter(({ url }) => typeof url === 'string')
    .map(({ message, url }) => ` ${String(message)}: ${String(url)}`);
  return new UserError({
    error: error.message + addresses.join(''),
    code: 'VISIT_NEEDED',
    hint: 'Ask the person to finish this in the browser, then call again.',
  });
}

/** The questions in an error that demands visits. */
function visitsOf({ data }: ProtocolError): readonly Readonly<Record<string, unknown>>[] {
  const { elicitations } = isObject(data) ? data : {};
  return (Array.isArray(elicitations) ? elicitations : []).filter(isObject);
}

/** Only the legacy era has ids of visits. */
export function withoutVisitId({ elicitationId: _, ...params }: NonNullable<Params>): NonNullable<Params> {
  return params;
}

/** A result that asks, of the modern era. */
export function withForeignQuestions(id: string, result: Result): Result {
  const { inputRequests } = result;
  if (!isObject(inputRequests)) return result;
  const requests = Object.entries(inputRequests).map(([key, request]) => {
    if (!isObject(request) || !isObject(request['params'])) return [key, request] as const;
    const { method, params } = request;
    return [key, { ...request, params: foreignQuestion(id, String(method), params) }] as const;
  });
  return { ...result, inputRequests: Object.fromEntries(requests) };
}

/** A form with a free text whose name or title is that of a secret. A mention elsewhere is no request. */
function asksForSecret({ requestedSchema }: NonNullable<Params>): boolean {
  if (!isObject(requestedSchema) || !isObject(requestedSchema['properties'])) return false;
  return Object.entries(requestedSchema['properties']).some(([name, field]) => {
    const { type = 'string', title = '', format, ...more } = isObject(field) ? field : {};
    if (type !== 'string' || ['enum', 'oneOf', 'anyOf', 'const'].some((key) => key in more)) return false;
    const clauses = [name, title].flatMap((text) => words(String(text)).split(CLAUSE_END));
    return format === 'password' || clauses.some((text) => SECRET.test(text.trim().replace(MORE, '')));
  });
}

/** `github_token` and `githubToken` with blanks. */
function words(text: string): string {
  return text.replaceAll(/[_-]/g, ' ').replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ');
}
