import type { Log } from '@deskside/core';
import { type Journal, Quiet } from '@deskside/desktop';
import { systemClock } from '@deskside/core/base';
import { messageOf } from '@deskside/core/errors';
import type { LoadedConfig } from '../config/load.ts';
import type { LateInbox, Phone } from '@deskside/page';

interface DeskPhoneParts {
  readonly inbox: LateInbox;
  readonly journal: Journal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

/** The phone of a desk, as its configuration says. Without `[phone]` none of its code is loaded. */
export function deskPhone({ inbox, journal, env, log }: DeskPhoneParts) {
  /** The table of the present phone, as JSON. */
  let known: string | undefined;
  let phone: Phone | undefined;

  const close = async () => phone?.[Symbol.asyncDispose]();

  return {
    close,
    /** A phone stays as it is if the table is the same. What fails is logged: there is no phone then. */
    async use(loaded: LoadedConfig | undefined): Promise<void> {
      const table = loaded?.config.phone;
      const text = JSON.stringify(table);
      if (text === known) return;
      known = text;
      try {
        await close();
        phone = undefined;
        if (loaded === undefined || table === undefined) return;
        const { phoneSettings } = await import('../config/phone.ts');
        const { Phone } = await import('@deskside/page/phone');
        const settings = await phoneSettings(table, { env, folder: loaded.places.folder });
        const quiet = new Quiet(journal, systemClock);
        phone = new Phone(settings, { inbox, quiet, clock: systemClock, log });
      } catch (error) {
        // The file of a secret may come later.
        known = undefined;
        log.error('no question goes to the phone', { reason: messageOf(error) });
      }
    },
  };
}
