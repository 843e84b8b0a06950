import type { NotifyPutOff } from '../desktop/notification.ts';
import type { InboxEntry } from './inbox-entry.ts';

/** The notifications of the questions that the person has put off, with Later or "Not now". */
export class PutOff {
  readonly #notify: NotifyPutOff;
  readonly #shown = new Map<InboxEntry, () => void>();

  constructor(notify: NotifyPutOff) {
    this.#notify = notify;
  }

  /** @param screen what this process has on the screen */
  update(
    entries: ReadonlySet<InboxEntry>,
    screen: InboxEntry | undefined,
    onAnswer: (entry: InboxEntry) => void,
  ): void {
    for (const [entry, takeBack] of this.#shown) {
      if (entries.has(entry) && entry.isPutOff(screen)) continue;
      this.#shown.delete(entry);
      takeBack();
    }
    for (const entry of entries) {
      if (this.#shown.has(entry) || !entry.isPutOff(screen)) continue;
      const { request, caller, preview } = entry;
      const title = `${request.caller} waits for an answer`;
      const question = { title, text: preview, client: caller.client, onAnswer: () => onAnswer(entry) };
      this.#shown.set(entry, this.#notify(question));
    }
  }
}
