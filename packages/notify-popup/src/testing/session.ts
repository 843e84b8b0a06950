import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Desktop, openDesktop } from './desktop.ts';
import { connectPopup, type PopupClient } from './popup-client.ts';

/** A person's desktop in a home of its own, and a client of the bin on it. */
export interface Session extends AsyncDisposable {
  readonly home: string;
  readonly desktop: Desktop;
  readonly client: PopupClient;
  /** Asks, and resolves when the popup is on the screen and has the keyboard. */
  ask(args?: Record<string, unknown>, signal?: AbortSignal): Promise<{ readonly answer: Promise<string> }>;
}

export async function openSession(flags: readonly string[] = []): Promise<Session> {
  const home = mkdtempSync(join(tmpdir(), 'popup-'));
  const desktop = await openDesktop(home);
  const client = await connectPopup(desktop.env, flags);
  return {
    home,
    desktop,
    client,
    async ask(args = {}, signal) {
      const since = client.now();
      const options = signal === undefined ? {} : { signal };
      const answer = client.notify({ message: 'Which one?', ...args }, options);
      answer.catch(() => undefined);
      await client.logged('popup shown', since);
      await desktop.popupHasKeyboard();
      return { answer };
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await desktop[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
