/** What a refusal says of the login (RFC 6750, RFC 9728). */
export interface Challenge {
  readonly resourceMetadataUrl: URL | undefined;
  readonly scope: string | undefined;
  readonly error: string | undefined;
}

/** Of the scheme Bearer, which may stand behind others (RFC 9110, 11.6.1). */
export function challengeIn({ headers }: Response): Challenge {
  const text = headers.get('www-authenticate') ?? '';
  const [, bearer = ''] = /(?:^|,)\s*Bearer(?:\s+(.*)|\s*$)/is.exec(text) ?? [];
  const found = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of bearer.matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? plain);
  }
  const resourceMetadataUrl = URL.parse(found.get('resource_metadata') ?? '') ?? undefined;
  return { resourceMetadataUrl, scope: found.get('scope'), error: found.get('error') };
}

const PARAMETER = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g;
