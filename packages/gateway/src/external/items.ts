import { escapeInvisible, truncateCodePoints } from '@deskside/core/text';
import { type Result, specTypeSchemas, type StandardSchemaV1 } from '@modelcontextprotocol/client';
import type { ListMember } from './listing.ts';

/** No host accepts a longer name, and every pattern of a profile would be matched against it. */
const MAX_NAME_LENGTH = 200;
const MAX_SHOWN_CODE_POINTS = 80;

/** The list of each method. */
const MEMBERS: Readonly<Record<string, ListMember>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};

const ITEMS: Readonly<Record<ListMember, { readonly kind: string; readonly schema: StandardSchemaV1 }>> = {
  tools: { kind: 'tool', schema: specTypeSchemas.Tool },
  prompts: { kind: 'prompt', schema: specTypeSchemas.Prompt },
  resources: { kind: 'resource', schema: specTypeSchemas.Resource },
  resourceTemplates: { kind: 'resource template', schema: specTypeSchemas.ResourceTemplate },
};

/**
 * A page of a list without its invalid items, which would make all of it invalid. Any other result is unchanged.
 *
 * @param leftOut gets the invalid items, for people
 */
export function withoutInvalid(method: string, result: Result, leftOut: string[]): Result {
  const member = MEMBERS[method];
  const listed = member === undefined ? undefined : result[member];
  if (member === undefined || !Array.isArray(listed)) return result;
  const items: readonly unknown[] = listed;
  const valid: unknown[] = [];
  for (const item of items) {
    if (isValid(member, item)) valid.push(item);
    else leftOut.push(titleOf(member, item));
  }
  return valid.length === items.length ? result : { ...result, [member]: valid };
}

function isValid(member: ListMember, item: unknown): boolean {
  const outcome = ITEMS[member].schema['~standard'].validate(item);
  if (outcome instanceof Promise || outcome.issues !== undefined) return false;
  if (member === 'resources' || member === 'resourceTemplates') return true;
  const name = nameOf(item);
  return name.length <= MAX_NAME_LENGTH && !/\p{Cc}/u.test(name);
}

function titleOf(member: ListMember, item: unknown): string {
  const name = truncateCodePoints(nameOf(item).slice(0, MAX_NAME_LENGTH), MAX_SHOWN_CODE_POINTS);
  return `${ITEMS[member].kind} ${name === '' ? 'without a name' : escapeInvisible(name)}`;
}

function nameOf(item: unknown): string {
  return typeof item === 'object' && item !== null && 'name' in item ? String(item.name) : '';
}
