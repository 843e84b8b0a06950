import type { Outcome } from './outcome.ts';
import type { Caller, PopupParts } from './popup-service.ts';
import { CannotPresent, type Ending, type PresentedPopup } from './presenter.ts';
import type { Question } from './question.ts';

/** What ends a popup from our side, and at the same time the outcome. */
type StopReason = 'superseded' | 'abandoned' | 'timeout';

/** One question from the call to the end of its window. */
export interface Popup {
  /** The first thing that happened. A window may outlive it. */
  readonly outcome: Promise<Outcome>;
  /** Resolves when its window is gone and the next popup may come. Never rejects. */
  readonly gone: Promise<void>;
  stop(reason: StopReason): void;
  /** Nobody waits any more: closes the window, unless an answer is being typed. */
  abandon(): void;
}

export function startPopup(question: Question, caller: Caller, parts: PopupParts): Popup {
  const { presenter, history, drafts, chime } = parts;
  const verdict = Promise.withResolvers<Outcome>();
  const stopping = new AbortController();
  const stopped = new Promise<'stopped'>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
  let presented: PresentedPopup | undefined;
  let typed = '';
  let isUnheard = false;
  const writing: Promise<void>[] = [];

  function stop(reason: StopReason): void {
    verdict.resolve({ kind: reason });
    stopping.abort();
  }

  function abandon(): void {
    if (presented === undefined || typed.trim() === '') return stop('abandoned');
    isUnheard = true;
    caller.log.debug('popup left to the person');
    verdict.resolve({ kind: 'abandoned' });
    presented.tell({ kind: 'unheard' });
  }

  async function live(): Promise<void> {
    const turn = await parts.takeTurn(stopping.signal);
    try {
      const draft = question.waitsForResponse ? await drafts.latest() : undefined;
      const exchanges = question.showsHistory ? await history.recent(parts.historyLimit) : [];
      if (stopping.signal.aborted) return;
      presented = presenter.present({
        question,
        history: exchanges,
        ...(draft === undefined ? {} : { draft }),
        onDraft(text) {
          typed = text;
          caller.log.debug('draft changed');
          attempt('draft not kept', drafts.keep(text));
        },
      });
      turn.onWaiting((count) => presented?.tell({ kind: 'waiting', count }));
      await show(presented);
    } finally {
      await presented?.close();
      await Promise.all(writing);
      turn.release();
    }
  }

  async function show(popup: PresentedPopup): Promise<void> {
    if ((await Promise.race([popup.shown, stopped])) === 'stopped') return;
    attempt('history not written', history.agentSaid(question.message));
    caller.log.debug('popup shown');
    if (question.chimes) chime('start');
    if (!question.waitsForResponse) verdict.resolve({ kind: 'displayed' });
    const { timeout } = question;
    const timer =
      timeout === undefined ? undefined : setTimeout(() => isUnheard || stop('timeout'), timeout * 1000);
    const ending = await Promise.race([popup.ended, stopped]);
    clearTimeout(timer);
    if (ending !== 'stopped') end(ending);
  }

  function end(ending: Ending): void {
    verdict.resolve(outcomeOf(ending));
    if (ending.kind === 'lost') caller.log.warn('popup window lost', { reason: ending.reason });
    // What was typed for nobody, or taken away by a crash, is offered again; what was sent or discarded is not.
    if (isUnheard || ending.kind === 'lost' || !question.waitsForResponse) return;
    attempt('draft not dropped', drafts.drop());
    if (ending.kind !== 'submitted') return;
    if (ending.text.trim() !== '') attempt('history not written', history.personSaid(ending.text));
    if (question.chimes) chime('end');
  }

  /** For what may fail without the person or the agent being any worse off. */
  function attempt(message: string, work: Promise<void>): void {
    writing.push(work.catch((error: unknown) => caller.log.warn(message, { error })));
  }

  const gone = live().catch((error: unknown) => {
    const reason = error instanceof CannotPresent ? error.message : 'the popup broke, see the log';
    if (!stopping.signal.aborted) caller.log.warn('no popup', { error });
    verdict.resolve({ kind: 'failed', reason });
  });
  return { outcome: verdict.promise, gone, stop, abandon };
}

function outcomeOf(ending: Ending): Outcome {
  if (ending.kind === 'submitted' && ending.text.trim() === '') return { kind: 'empty' };
  return ending.kind === 'lost' ? { kind: 'dismissed' } : ending;
}
