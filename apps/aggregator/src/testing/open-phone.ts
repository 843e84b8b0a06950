import { type Log, silentLog } from '@deskside/core';
import { fixedClock } from '@deskside/core/testing';
import { type InboxCaller, type InboxRequest, memoryJournal, Quiet } from '@deskside/desktop';
import { scriptedPopup } from '@deskside/notify-popup/testing/scripted-popup';
import { LateInbox, Phone, type PhoneSettings } from '@deskside/page';
import { startNtfy } from '@deskside/page/testing/ntfy-server';
import { expect, onTestFinished } from 'vitest';

export const MINUTE_MS = 60_000;

interface Ntfy extends Awaited<ReturnType<typeof startNtfy>> {}

/** A desk with a real inbox, whose windows a script opens, and a server for its phone. */
export async function openScene(at = '2026-11-24T10:00:00Z') {
  const ntfy: Ntfy = await startNtfy({ token: 'tk_desk' });
  const clock = fixedClock(at);
  const quiet = new Quiet(memoryJournal(), clock);
  const popup = scriptedPopup({ clock, quiet });
  onTestFinished(() => popup[Symbol.asyncDispose]());
  const inbox = new LateInbox();
  inbox.set(popup);
  const warnings: string[] = [];
  const reasons: unknown[] = [];
  const warn: Log['warn'] = (message, fields) => {
    warnings.push(message);
    reasons.push(fields?.['reason']);
  };
  const log: Log = { ...silentLog, warn, error: warn };
  const ask = (request: Partial<InboxRequest> = {}, caller: Partial<InboxCaller> = {}) =>
    popup.inbox.ask(
      {
        kind: 'question',
        message: 'Which route?',
        title: 'Routes',
        theme: 'auto',
        showsHistory: false,
        chimes: false,
        caller: 'claude · web-shop',
        options: ['/a', '/b', '/c', '/d'],
        ...request,
      },
      { session: undefined, signal: new AbortController().signal, log: silentLog, ...caller },
    );
  return { ntfy, clock, quiet, popup, inbox, log, warnings, reasons, ask };
}

/** Such a desk with a phone. */
export async function openPhone(changes: Partial<PhoneSettings> = {}, at?: string) {
  const scene = await openScene(at);
  const { ntfy, inbox, quiet, clock, log } = scene;
  const settings = { url: ntfy.url, topic: 'my-desk', token: 'tk_desk', afterMs: MINUTE_MS, hasTexts: true };
  const phone = new Phone({ ...settings, ...changes }, { inbox, quiet, clock, log });
  onTestFinished(() => phone[Symbol.asyncDispose]());
  /** A minute passes, and the phone has so many messages. */
  const waitForMessages = async (count: number) => {
    await clock.advanceAsync(MINUTE_MS);
    await expect.poll(() => ntfy.published).toHaveLength(count);
  };
  /** So many messages, and the desk listens for their answers. */
  const waitForButtons = async (count = 1) => {
    await waitForMessages(count);
    await expect.poll(() => ntfy.listeners).toHaveLength(1);
  };
  /** What was sent before has arrived: the server gets this request after it. */
  const arrived = async () => void (await (await fetch(ntfy.url)).text());
  return { ...scene, phone, waitForMessages, waitForButtons, arrived };
}
