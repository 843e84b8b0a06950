import { createElement, type MouseEvent, type ReactNode } from 'react';
import {
  DEFAULT_DURATION_MS,
  DEFAULT_POSITION,
  escapeNotification,
  type Notification,
  type NotificationAction,
  readingMs,
} from '../notification/notification.ts';
import { ToolResults } from '../results/tool-results.ts';

export type { Notification } from '../notification/notification.ts';

interface SonnerOptions {
  readonly id: string;
  readonly description: ReactNode;
  readonly duration: number;
  readonly position?: Notification['position'];
  readonly onDismiss: () => void;
  readonly onAutoClose: () => void;
}

type ShowInSonner = (title: string, options: SonnerOptions) => unknown;

/** What is used of the function `toast` of sonner. */
export interface SonnerToast extends Readonly<Record<Notification['severity'] | 'loading', ShowInSonner>> {
  readonly dismiss: (id: string) => unknown;
}

/** A person clicked a prompt action. */
export interface SonnerPrompt {
  readonly prompt: string;
  readonly label: string;
  readonly notification: Notification;
  /** The text comes from a tool, not from the person. */
  readonly origin: 'tool';
}

export interface SonnerToasterOptions {
  /** Sends the prompt as the person's message. Return false to keep the toast, or a promise that ends when it is sent. */
  readonly onPrompt: (prompt: SonnerPrompt) => unknown;
  /** Says that the run of an agent ended before its work. Default: "Ended without a result". */
  readonly endedLabel?: string;
}

export interface SonnerToaster {
  /** Shows the notification of a tool once, in the visible tab, or changes the toast with its id. */
  show(notification: Notification): void;
}

const ROW = { display: 'flex', flexWrap: 'wrap', gap: 8, marginTop: 6 } as const;
/** A label alone could promise something else than its prompt, which is below it: three lines at first. */
const OFFER = { display: 'grid', gap: 4, justifyItems: 'start' } as const;
const BUTTON = { margin: 0, height: 'auto', minHeight: 24, textAlign: 'start' } as const;
const PROMPT = {
  display: '-webkit-box',
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: 3,
  overflow: 'hidden',
  opacity: 0.8,
} as const;

/**
 * Shows the notifications of an agent in the sonner of a page, with the rules of `<deskside-toaster>` for replays and tabs.
 *
 * @param toast the function `toast` of sonner
 */
export function sonnerToaster(toast: SonnerToast, options: SonnerToasterOptions): SonnerToaster {
  const { onPrompt, endedLabel = 'Ended without a result' } = options;
  const shown = new Map<string, Notification>();

  function show(given: Notification): void {
    const notification = escapeNotification(given);
    const { id, title, message, severity, loading, ended, position, duration, actions = [] } = notification;
    const readMs = duration === DEFAULT_DURATION_MS ? readingMs(notification) : duration;
    const forget = () => shown.delete(id);
    shown.set(id, notification);
    toast[loading ? 'loading' : severity](title ?? message, {
      id,
      // The default position was not chosen: the toast is in the pile of the page.
      ...(position !== DEFAULT_POSITION && { position }),
      duration: loading || readMs === 0 ? Infinity : readMs,
      description: createElement(
        'div',
        { style: { whiteSpace: 'pre-line' } },
        [title && message, ended && endedLabel].filter(Boolean).join('\n'),
        actions.length > 0 &&
          createElement(
            'div',
            { style: ROW },
            ...actions.map((action) => createButton(notification, action)),
          ),
      ),
      onDismiss: forget,
      onAutoClose: forget,
    });
  }

  function createButton(notification: Notification, action: NotificationAction): ReactNode {
    const { label } = action;
    const prompt = action.action === 'prompt' && action.prompt;
    const onClick = async ({ currentTarget: button }: MouseEvent<HTMLButtonElement>) => {
      const text = button.nextElementSibling;
      if (text instanceof HTMLElement && text.scrollHeight > text.clientHeight) {
        // A person must see what a click sends.
        text.style.webkitLineClamp = 'none';
        return;
      }
      button.disabled = true;
      try {
        const sending = prompt && onPrompt({ prompt, label, notification, origin: 'tool' });
        const isKept = prompt && (await sending) === false;
        // A newer notification with its id stays. React may show it with the same button.
        if (!isKept && shown.get(notification.id) === notification) toast.dismiss(notification.id);
        else button.disabled = false;
      } catch {
        // The person can try again.
        button.disabled = false;
      }
    };
    const kind = prompt ? 'data-action' : 'data-cancel';
    const attributes = {
      type: 'button',
      'data-button': true,
      [kind]: true,
      'aria-description': prompt || undefined,
      style: BUTTON,
      onClick,
    } as const;
    return createElement(
      'div',
      { key: label, style: OFFER },
      createElement('button', attributes, label),
      prompt && createElement('q', { style: PROMPT }, prompt),
    );
  }

  const results = new ToolResults({ onShow: show, isShown: (id) => shown.has(id) });
  // A server has no document.
  globalThis.document?.addEventListener('visibilitychange', () => {
    if (!document.hidden) results.showWaiting();
  });
  return { show: (notification) => results.add(notification) };
}
