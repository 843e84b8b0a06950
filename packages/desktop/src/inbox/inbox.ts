import type { Approval } from './approval.ts';
import type { InboxCaller, InboxChange, InboxRequest } from './request.ts';
import type { Answer, PopupOutcome, Surface } from './outcome.ts';

/** All that agents ask the person of this desktop. One popup at a time is on the screen. */
export interface Inbox extends AsyncDisposable {
  /** Resolves with an outcome for everything that the person, the client or the browser does; never rejects. */
  ask(request: InboxRequest, caller: InboxCaller): Promise<PopupOutcome>;
  /**
   * Answers an item. The first answer wins, from whichever surface, and the other surfaces close.
   *
   * @returns false if the item is not open, or if none of the calls that an answer names waits
   */
  answer(id: string, answer: Answer, via: Surface): boolean;
  /** Says which calls wait for an approval now. */
  update(id: string, approval: Approval): void;
  /**
   * Reports every open item at once, and then each change.
   *
   * @returns a function that ends it
   */
  subscribe(listener: (change: InboxChange) => void): () => void;
}
