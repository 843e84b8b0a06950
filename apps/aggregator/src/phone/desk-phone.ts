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
export class DeskPhone implements AsyncDisposable {
  readonly #parts: DeskPhoneParts;
  /** The table of the present phone, as JSON. */
  #known: string | undefined;
  #phone: Phone | undefined;

  constructor(parts: DeskPhoneParts) {
    this.#parts = parts;
  }

  /** What is on the phone stays valid if the table is the same. What fails is logged: there is no phone then. */
  async use(loaded: LoadedConfig | undefined): Promise<void> {
    const { inbox, journal, env, log } = this.#parts;
    const table = loaded?.config.phone;
    const text = JSON.stringify(table);
    if (text === this.#known) return;
    this.#known = text;
    try {
      await this[Symbol.asyncDispose]();
      if (loaded === undefined || table === undefined) return;
      const { phoneSettings } = await import('../config/phone.ts');
      const { Phone } = await import('@deskside/page/phone');
      const settings = await phoneSettings(table, { env, folder: loaded.places.folder });
      const quiet = new Quiet(journal, systemClock);
      this.#phone = new Phone(settings, { inbox, quiet, clock: systemClock, log });
    } catch (error) {
      // The file of a secret may come later.
      this.#known = undefined;
      log.error('no question goes to the phone', { reason: messageOf(error) });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const phone = this.#phone;
    this.#phone = undefined;
    await phone?.[Symbol.asyncDispose]();
  }
}
