import { isObject } from '@deskside/core/base';
import { kept } from '../mounts/kept.ts';

interface Declaration {
  readonly header: string;
  readonly path: readonly string[];
}

/**
 * The headers in which a call of the modern era over HTTP repeats some of its arguments, because the tool's schema says
 * so. The SDK sends them only from `callTool`, which does not return results unchanged.
 */
export function parameterHeaders(inputSchema: object, args: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { header, path } of declared(inputSchema)) {
    const value = path.reduce<unknown>((parent, key) => (isObject(parent) ? parent[key] : undefined), args);
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    const isPlain = typeof value !== 'object' || JSON.isRawJSON(value);
    if (isPlain && value !== undefined) headers[`Mcp-Param-${header}`] = headerText(text);
  }
  return headers;
}

const declared = kept((inputSchema: object) => declarationsIn(inputSchema, []));

function declarationsIn(schema: unknown, path: readonly string[]): readonly Declaration[] {
  if (!isObject(schema)) return [];
  const header = schema['x-mcp-header'];
  const own = typeof header === 'string' && path.length > 0 ? [{ header, path }] : [];
  const { properties } = schema;
  const below = isObject(properties) ? Object.entries(properties) : [];
  return [...own, ...below.flatMap(([key, child]) => declarationsIn(child, [...path, key]))];
}

/** What a header cannot contain is sent as Base64 in the form of the specification. */
export function headerText(text: string): string {
  const isPlain = /^(?:[!-~](?:[\t -~]*[!-~])?)?$/.test(text) && !/^=\?base64\?.*\?=$/i.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
