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

/** The phone of a desk, as its configuration and the files of its secrets are now. Without `[phone]` none of its code is loaded. */
export class DeskPhone implements AsyncDisposable {
  readonly #parts: DeskPhoneParts;
  readonly #unsubscribe: () => void;
  #loaded: LoadedConfig | undefined;
  /** Why the latest look found nothing new that can be used. */
  #problem: string | undefined;
  /** The settings of the present phone, as JSON. */
  #known = '';
  #phone: Phone | undefined;
  /** One look at a time. */
  #turn = Promise.resolve();

  constructor(parts: DeskPhoneParts) {
    this.#parts = parts;
    // A desk runs for weeks: since the last look the file of a secret may have come, or changed.
    this.#unsubscribe = parts.inbox.subscribe(({ kind }) => {
      if (kind === 'open') void this.#look();
    });
  }

  /** What is on the phone stays valid if the settings are the same. Settings that cannot be used are logged. */
  async use(loaded: LoadedConfig | undefined): Promise<void> {
    const [former, next] = [this.#loaded, loaded].map((each) => JSON.stringify(each?.config.phone));
    this.#loaded = loaded;
    await this.#look(former !== next);
  }

  /** @param isOther the table has changed: the phone of the one before ends, also if this one cannot be used */
  #look(isOther = false): Promise<void> {
    this.#turn = this.#turn
      .then(() => this.#follow(isOther))
      .catch((error: unknown) => this.#parts.log.error('the phone cannot be changed', { error }));
    return this.#turn;
  }

  async #follow(isOther: boolean): Promise<void> {
    const { inbox, journal, env, log } = this.#parts;
    const { config, places } = this.#loaded ?? {};
    if (config?.phone === undefined || places === undefined) return this.#close();
    try {
      const { phoneSettings } = await import('../config/phone.ts');
      const { Phone } = await import('@deskside/page/phone');
      const settings = await phoneSettings(config.phone, { env, folder: places.folder });
      this.#problem = undefined;
      const known = JSON.stringify(settings);
      if (known === this.#known) return;
      await this.#close();
      this.#known = known;
      const quiet = new Quiet(journal, systemClock);
      this.#phone = new Phone(settings, { inbox, quiet, clock: systemClock, log });
    } catch (error) {
      if (isOther) await this.#close();
      const reason = messageOf(error);
      // A file that is being written: what is on the phone stays valid.
      const kept = this.#phone && 'the phone goes on with its earlier settings';
      if (reason !== this.#problem) log.error(kept ?? 'no question goes to the phone', { reason });
      this.#problem = reason;
    }
  }

  async #close(): Promise<void> {
    this.#known = '';
    await this.#phone?.[Symbol.asyncDispose]();
    this.#phone = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    await this.#turn;
    await this.#close();
  }
}
