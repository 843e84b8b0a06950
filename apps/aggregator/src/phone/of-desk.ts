import type { Log } from '@deskside/core';
import { Quiet, systemClock } from '@deskside/core/base';
import { quietFile } from '@deskside/core/cli';
import { messageOf } from '@deskside/core/errors';
import type { LoadedConfig } from '../config/load.ts';
import type { LateInbox } from '../page/late-inbox.ts';
import type { Phone } from './phone.ts';

interface DeskPhoneParts {
  readonly inbox: LateInbox;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

/** The phone of a desk, as its configuration has it now. Without `[phone]` none of its code is loaded. */
export class DeskPhone implements AsyncDisposable {
  readonly #parts: DeskPhoneParts;
  #table: string | undefined;
  #phone: Phone | undefined;

  constructor(parts: DeskPhoneParts) {
    this.#parts = parts;
  }

  /** What is on the phone stays valid if the setting is the same. A setting that cannot be used is logged. */
  async use(loaded: LoadedConfig | undefined): Promise<void> {
    const table = JSON.stringify(loaded?.config.phone);
    if (table === this.#table) return;
    this.#table = table;
    await this[Symbol.asyncDispose]();
    if (loaded?.config.phone === undefined) return;
    const { inbox, env, log } = this.#parts;
    try {
      const { phoneSettings } = await import('./settings.ts');
      const { Phone } = await import('./phone.ts');
      const settings = await phoneSettings(loaded.config.phone, { env, folder: loaded.places.folder });
      const quiet = new Quiet(quietFile(), systemClock);
      this.#phone = new Phone(settings, { inbox, quiet, clock: systemClock, log });
    } catch (error) {
      log.error('no question goes to the phone', { reason: messageOf(error) });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#phone?.[Symbol.asyncDispose]();
    this.#phone = undefined;
  }
}
