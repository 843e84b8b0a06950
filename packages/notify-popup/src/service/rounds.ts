import type { Scheduler } from '@deskside/core/base';
import type { Inbox, ClientForm, InboxCaller, InboxRequest, Answer, PopupOutcome } from '@deskside/desktop';

/** A client answers a form within this time, or not at all. */
const FORM_LIFETIME_MS = 600_000;

export type NamedCaller = InboxCaller & { readonly item: { readonly id: string; readonly user: string } };

/**
 * Items whose call returns with a form and comes again with the answer. Meanwhile they are open, and other surfaces can
 * answer them.
 */
export class Rounds {
  readonly #inbox: Inbox;
  readonly #clock: Scheduler;
  readonly #open = new Map<string, Item>();

  constructor(inbox: Inbox, clock: Scheduler) {
    this.#inbox = inbox;
    this.#clock = clock;
  }

  /**
   * @param send makes the form; the item outlives the call from then on
   * @returns the form, or the outcome if no form is needed
   */
  async begin<T>(
    request: InboxRequest,
    caller: NamedCaller,
    send: (sentAt: number) => Promise<T>,
  ): Promise<PopupOutcome | T> {
    const sent = Promise.withResolvers<T>();
    const item = new Item(this.#inbox, request, caller, {
      ask: async () => {
        const form = await send(this.#clock.now().getTime());
        this.#keep(caller.item.id, item);
        sent.resolve(form);
        return item.answer.promise;
      },
    });
    return Promise.race([item.outcome, sent.promise]);
  }

  /** The call with the answer. Another process may have sent the form. */
  async continue(
    request: InboxRequest,
    caller: NamedCaller,
    sentAt: number,
    answer: Answer,
  ): Promise<PopupOutcome> {
    const kept = this.#open.get(caller.item.id);
    this.#open.delete(caller.item.id);
    kept?.cancelTimer();
    const form: ClientForm = { sentAt: new Date(sentAt), ask: async () => answer };
    const item = kept ?? new Item(this.#inbox, request, caller, form);
    item.follow(caller.signal);
    item.answer.resolve(answer);
    return item.outcome;
  }

  /** The client may never call again. */
  #keep(id: string, item: Item): void {
    item.release();
    this.#open.set(id, item);
    const end = () => {
      this.#open.delete(id);
      item.stop.abort();
    };
    item.cancelTimer = this.#clock.after(FORM_LIFETIME_MS, end, { isBackground: true });
  }
}

class Item {
  readonly outcome: Promise<PopupOutcome>;
  readonly answer = Promise.withResolvers<Answer>();
  readonly stop = new AbortController();
  cancelTimer = () => {};
  /** The end of the present call does not end the item. */
  release = () => {};

  constructor(inbox: Inbox, request: InboxRequest, caller: InboxCaller, form: ClientForm) {
    this.follow(caller.signal);
    this.outcome = inbox.ask(request, { ...caller, signal: this.stop.signal, form });
  }

  /** The end of this call ends the item. */
  follow(signal: AbortSignal): void {
    this.release();
    const leave = () => this.stop.abort(signal.reason);
    this.release = () => signal.removeEventListener('abort', leave);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
  }
}
