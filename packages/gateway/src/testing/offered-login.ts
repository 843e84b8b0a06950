import { silentLog } from '@deskside/core';
import { expect } from 'vitest';
import type { ServerAddress } from '../external/spec.ts';
import { LoginOffer } from '../login/offer.ts';
import { withLogin } from '../login/server-login.ts';
import { running, trustingSource } from './external.ts';
import { callOf, listingOf } from './fake.ts';
import { newStore } from './log-in-at.ts';
import { browse } from './login-server.ts';
import { openDesk } from './open-desk.ts';
import { scriptedPerson } from './scripted-person.ts';

/** A desk with a server that needs a login, and a person with a browser. */
export async function offeredLogin(
  server: Pick<ServerAddress, 'url' | 'headers'>,
  { go = browse, user = 'owner' }: { go?: (address: string) => unknown; user?: string } = {},
) {
  const store = newStore();
  const person = scriptedPerson();
  const opened: string[] = [];
  let elapsedMs = 0;
  const spec = withLogin('guard', running(server, { title: server.url }), { env: {}, store });
  const offer = new LoginOffer({
    id: 'guard',
    spec,
    store,
    user,
    log: silentLog,
    clock: { elapsedMs: () => elapsedMs },
    person: async () => ({ ...person, theme: 'auto' }),
    async openBrowser(address) {
      opened.push(address);
      return (await go(address)) !== false;
    },
  });
  const { peer } = await openDesk(
    { guard: spec },
    {
      sources: { guard: trustingSource(listingOf('ping', 'guarded')) },
      onLoginNeeded: (sentence, ctx) => offer.offer(sentence, ctx),
    },
  );
  return {
    ...person,
    offer,
    opened,
    call: (tool = 'ping') => callOf(peer, `guard_${tool}`),
    pass: (ms: number) => (elapsedMs += ms),
    async asked() {
      await expect.poll(() => person.open.length).toBe(1);
      const [only] = person.open;
      if (only === undefined) throw new Error('nothing is asked');
      return only;
    },
  };
}
