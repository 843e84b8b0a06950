import type { Log } from '@deskside/core';
import type { ExternalServer } from '../config/external.ts';
import type { LoadedConfig } from '../config/load.ts';
import { configured } from '../external/configured.ts';
import { type OpenedExternal, openExternal } from '../external/open.ts';
import { type OpenTransport, systemTransports } from '../external/transport.ts';
import { LoginOffer, type LoginOfferOptions } from '../login/offer.ts';
import { loginVariable, withLogin } from '../login/server-login.ts';
import { loginStore } from '../login/store.ts';
import type { Mount, MountStatus } from '../mounts/mount.ts';
import { systemCall } from '../mounts/system-call.ts';
import type { Change } from './compare.ts';
import { summaryOf } from './describe.ts';
import { type AcceptanceSource, openSource } from './source.ts';
import { ListingStore } from './store.ts';

export interface ExternalMounts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** The mount that tells the person. */
  readonly logMount: Mount | undefined;
  /** The user at the desk. */
  readonly user: string;
  /** Asks the person; undefined if nothing can. */
  readonly person: LoginOfferOptions['person'];
  readonly isSelected: (id: string) => boolean;
}

/** The external servers of the accepted configuration, with what was accepted of each. Starts nothing. */
export async function openAccepted(
  { config, places }: LoadedConfig,
  mounts: ExternalMounts,
): Promise<readonly OpenedExternal[]> {
  const shared = {
    folder: places.folder,
    store: new ListingStore(places.listings),
    openTransport: systemTransports(mounts.env),
  };
  const servers = Object.entries(config.external).filter(([id]) => mounts.isSelected(id));
  return Promise.all(servers.map(async ([id, server]) => openServer(id, server, mounts, shared)));
}

interface Shared {
  readonly folder: string;
  readonly store: ListingStore;
  readonly openTransport: OpenTransport;
}

async function openServer(
  id: string,
  server: ExternalServer,
  { env, log, logMount, user, person }: ExternalMounts,
  { folder, store, openTransport }: Shared,
): Promise<OpenedExternal> {
  const report = (changes: readonly Change[]) => {
    const message = `${id} offers ${summaryOf(changes)}. This waits until you run "deskside apply".`;
    log.warn(message, { mount: id });
    if (logMount === undefined) return;
    void systemCall(logMount, 'notify', { message, level: 'warn', context: 'safety' }, user, log);
  };
  const source = await openSource({ id, server, store, log, report });
  const login = 'url' in server ? server.login : undefined;
  const spec = withLogin(id, configured(server, { env, folder }), { env, user, login });
  const offer = new LoginOffer({ id, spec, store: loginStore(), user, person, log });
  const { mount, close } = openExternal(id, spec, {
    source,
    log,
    openTransport,
    // A stored login would not be used.
    ...(env[loginVariable(id)] ? {} : { onLoginNeeded: (sentence, ctx) => offer.offer(sentence, ctx) }),
  });
  const status = () => withNotes(mount.status?.() ?? { state: 'ready' }, source);
  return {
    mount: { ...mount, status },
    async close() {
      source[Symbol.dispose]();
      offer[Symbol.dispose]();
      await close();
    },
  };
}

function withNotes(status: MountStatus, source: AcceptanceSource): MountStatus {
  if (status.state !== 'ready') return status;
  const count = source.waiting();
  const what = count === 1 ? '1 new or changed part waits' : `${count} new or changed parts wait`;
  const notes = [...source.problems(), ...(count === 0 ? [] : [`${what}. Run "deskside apply".`])];
  return notes.length === 0 ? status : { ...status, reason: notes.join(' ') };
}
