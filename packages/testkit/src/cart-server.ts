import { acceptedContent, defineServer, inputRequired, toolDefiner } from '@deskside/core';
import type { RemoteAuth } from '@deskside/core/serving';
import { generateKeyPair, jwtVerify } from 'jose';
import { z } from 'zod';
import { described } from '@deskside/core/testing/described';

// A cart whose users come with JSON Web Tokens.

const { publicKey, privateKey } = await generateKeyPair('ES256');
export { privateKey };

/** Accepts the tokens of one authorization server, and names it with others. */
export function loginAt(issuer: string, resource: string, ...others: readonly string[]): RemoteAuth {
  return {
    async verifier(token) {
      const { payload } = await jwtVerify(token, publicKey, { issuer });
      const { sub = '', aud, exp, scope } = payload;
      return { user: sub, audience: aud, expiresAt: exp, scopes: String(scope).split(' '), claims: payload };
    },
    resource,
    authorizationServers: [issuer, ...others],
    scopes: ['cart'],
  };
}

const define = toolDefiner<null, { readonly shop?: string }>();
const show = define({
  ...described('show_cart'),
  run: (_, __, { principal: { user, claims } }) => `cart of ${user} at ${claims?.shop}`,
});
const buy = define({
  ...described('buy'),
  input: z.object({ isSure: z.boolean().optional() }),
  scopes: ['buy'],
  run({ isSure }, _, { input, principal }) {
    const sure = z.object({ sure: z.boolean() });
    const answer = isSure ?? acceptedContent(input.responses, 'sure', sure)?.sure;
    if (answer !== undefined) return `${principal.user} bought: ${answer}`;
    const ask = inputRequired.elicit({ message: 'Buy?', requestedSchema: sure });
    return inputRequired({ inputRequests: { sure: ask } });
  },
});
const refund = define({
  ...described('refund'),
  run: () => 'refunded',
});
const FOR_ALL = [show, buy];
const FOR_CLERKS = [show, buy, refund];

export const definition = defineServer({
  name: 'cart',
  version: '1.0.0',
  deps: null,
  tools: (_, { claims }) => (claims?.['role'] === 'clerk' ? FOR_CLERKS : FOR_ALL),
});
