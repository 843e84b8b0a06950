import type { Log } from '@deskside/core';
import { type Journal, Quiet } from '@deskside/desktop';
import { systemClock } from '@deskside/core/base';
import { messageOf } from '@deskside/core/errors';
import type { LoadedConfig } from '../config/load.ts';
import type { LateInbox, Phone, PhoneSettings } from '@deskside/page';

interface DeskPhoneParts {
  readonly inbox: LateInbox;
  readonly journal: Journal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

/** What a phone is opened with, or why there is none. Without `[phone]` neither. */
interface Found {
  readonly settings?: PhoneSettings;
  readonly problem?: string;
  readonly open?: () => Phone;
}

/** The phone of a desk, as its configuration and the files of its secrets are now. Without `[phone]` none of its code is loaded. */
export class DeskPhone implements AsyncDisposable {
  readonly #parts: DeskPhoneParts;
  readonly #unsubscribe: () => void;
  #loaded: LoadedConfig | undefined;
  /** The table of the latest look, and why it could not be used. */
  #table: string | undefined;
  #problem: string | undefined;
  /** The settings of the present phone. */
  #known: string | undefined;
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
    this.#loaded = loaded;
    await this.#look();
  }

  #look(): Promise<void> {
    this.#turn = this.#turn
      .then(() => this.#follow())
      .catch((error: unknown) => this.#parts.log.error('the phone cannot be changed', { error }));
    return this.#turn;
  }

  async #follow(): Promise<void> {
    const table = JSON.stringify(this.#loaded?.config.phone);
    const { settings, problem, open } = await this.#find();
    // A file that is being written: what is on the phone stays valid.
    const isKept = problem !== undefined && this.#phone !== undefined && table === this.#table;
    if (problem !== undefined && problem !== this.#problem) {
      const message = isKept
        ? 'the phone goes on with its earlier settings'
        : 'no question goes to the phone';
      this.#parts.log.error(message, { reason: problem });
    }
    this.#problem = problem;
    this.#table = table;
    if (isKept) return;
    const known = JSON.stringify(settings);
    if (known === this.#known) return;
    this.#known = known;
    await this.#close();
    this.#phone = open?.();
  }

  async #find(): Promise<Found> {
    const { inbox, journal, env, log } = this.#parts;
    const { config, places } = this.#loaded ?? {};
    if (config?.phone === undefined || places === undefined) return {};
    try {
      const { phoneSettings } = await import('./settings.ts');
      const { Phone } = await import('@deskside/page/phone');
      const settings = await phoneSettings(config.phone, { env, folder: places.folder });
      const quiet = new Quiet(journal, systemClock);
      return { settings, open: () => new Phone(settings, { inbox, quiet, clock: systemClock, log }) };
    } catch (error) {
      return { problem: messageOf(error) };
    }
  }

  async #close(): Promise<void> {
    await this.#phone?.[Symbol.asyncDispose]();
    this.#phone = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    await this.#turn;
    await this.#close();
  }
}
