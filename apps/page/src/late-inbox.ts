import type { Answer, Inbox, InboxChange, InboxItem, Surface } from '@deskside/desktop';

/** The inbox of the popup, whose code is loaded with the first question. */
export class LateInbox {
  #inbox: Inbox | undefined;
  /** True if its windows show messages as plain text instead of Markdown. */
  isPlain = false;
  readonly #listeners = new Set<(change: InboxChange) => void>();
  readonly #open = new Map<string, InboxItem>();

  set({ inbox, plain }: { readonly inbox: Inbox; readonly plain: boolean }): void {
    this.isPlain = plain;
    this.#inbox = inbox;
    inbox.subscribe((change) => {
      if (change.kind === 'open') this.#open.set(change.item.id, change.item);
      else this.#open.delete(change.id);
      for (const listen of this.#listeners) listen(change);
    });
  }

  item(id: string): InboxItem | undefined {
    return this.#open.get(id);
  }

  /** Reports every open item at once, and then each change. @returns a function that ends it */
  subscribe(listener: (change: InboxChange) => void): () => void {
    for (const item of this.#open.values()) listener({ kind: 'open', item });
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** @returns false if another surface was faster */
  answer(id: string, answer: Answer, via: Surface): boolean {
    return this.#inbox?.answer(id, answer, via) ?? false;
  }
}
