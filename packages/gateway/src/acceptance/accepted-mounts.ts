import type { Log } from '@deskside/core';
import type { DeskPlaces } from '../config/accepted.ts';
import type { ExternalServer } from '../config/external.ts';
import type { SecretSources } from '../config/secrets.ts';
import { configured } from '../external/configured.ts';
import { type OpenedExternal, openExternal } from '../external/external-mount.ts';
import { joinedPaths, systemTransports } from '../external/transport.ts';
import { startOnTrial, type Trial } from '../external/trial.ts';
import { LoginOffer, type LoginOfferOptions } from '../login/offer.ts';
import { loginVariable, withLogin } from '../login/server-login.ts';
import { loginStore } from '../login/login-store.ts';
import type { Mount, MountStatus } from '../mounts/mount.ts';
import { systemCall } from '../mounts/system-call.ts';
import type { Change } from './compare.ts';
import { summaryOf } from './describe.ts';
import { type AcceptanceSource, openSource } from './source.ts';
import { ListingStore } from './listing-store.ts';

export interface ExternalMounts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly clientPath?: (() => string | undefined) | undefined;
  /** The mount that tells the person. */
  readonly logMount: Mount | undefined;
  /** The user at the desk. */
  readonly user: string;
  /** Asks the person; undefined if nothing can. */
  readonly person: LoginOfferOptions['person'];
  readonly openBrowser: LoginOfferOptions['openBrowser'];
}

/** Opens servers of the accepted configuration, with what was accepted of each. Starts nothing. */
export function openAccepted(places: DeskPlaces, mounts: ExternalMounts) {
  const { env, log, clientPath, logMount, user, person, openBrowser } = mounts;
  const store = new ListingStore(places.listings);
  const openTransport = systemTransports(env);
  return async (id: string, server: ExternalServer): Promise<OpenedExternal> => {
    const report = (changes: readonly Change[]) => {
      const message = `${id} offers ${summaryOf(changes)}. This waits until you run "deskside apply".`;
      log.warn(message, { mount: id });
      if (logMount === undefined) return;
      void systemCall(logMount, 'notify', { message, level: 'warn', context: 'safety' }, user, log);
    };
    const source = await openSource({ id, server, store, log, report });
    const login = 'url' in server ? server.login : undefined;
    const base = configured(server, { env, folder: places.folder });
    const path = () => joinedPaths(source.state().path, env['PATH'], clientPath?.());
    const withPath = async () => ({ ...(await base.server()), path: path() });
    const spec = withLogin(id, { ...base, server: withPath }, { env, user, login });
    const offer = new LoginOffer({ id, spec, store: loginStore(), user, person, openBrowser, log });
    const { mount, close } = openExternal(id, spec, {
      source,
      log,
      openTransport,
      // A stored login would not be used.
      ...(env[loginVariable(id)] ? {} : { onLoginNeeded: (sentence, ctx) => offer.offer(sentence, ctx) }),
    });
    const status = () => withAcceptance(mount.status?.() ?? { state: 'ready' }, source);
    return {
      mount: { ...mount, status },
      async close() {
        source[Symbol.dispose]();
        offer[Symbol.dispose]();
        await close();
      },
    };
  };
}

/**
 * Starts a configured server once.
 *
 * @throws StartError with a sentence that says why it cannot be used
 */
export async function tryServer(id: string, server: ExternalServer, sources: SecretSources): Promise<Trial> {
  return startOnTrial(id, withLogin(id, configured(server, sources), sources), systemTransports(sources.env));
}

function withAcceptance(status: MountStatus, source: AcceptanceSource): MountStatus {
  const { damage, changes, problems } = source.state();
  if (damage !== undefined) return { state: 'degraded', reason: damage };
  if (status.state !== 'ready') return status;
  const count = changes.length;
  const what = count === 1 ? '1 new or changed part waits' : `${count} new or changed parts wait`;
  const notes = [...problems, ...(count === 0 ? [] : [`${what}. Run "deskside apply".`])];
  return notes.length === 0 ? status : { ...status, reason: notes.join(' ') };
}
