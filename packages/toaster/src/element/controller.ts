import { createCard, fillCard, type CardContent } from '../card/card.ts';
import { PauseReasons } from '../card/countdown.ts';
import { create } from '../card/dom.ts';
import {
  type Notification,
  type NotificationAction,
  type Position,
  POSITIONS,
} from '../notification/notification.ts';
import { NotificationCenter } from './center.ts';
import { focusSame, LayerFocus } from './focus.ts';
import { ToastLayer, wasInView } from './layer.ts';
import { ToastQueue } from './queue.ts';
import { fillLabel, type Settings } from './settings.ts';
import { createCountBadge, makeSwipeable, Toast } from './toast.ts';

/**
 * A person clicked a prompt action. The element sends nothing: the page sends the prompt as the person's message, or
 * asks first. `preventDefault()` keeps the toast open.
 */
export interface PromptDetail {
  readonly prompt: string;
  readonly label: string;
  readonly notification: Notification;
  /** The text comes from a tool, not from the person. */
  readonly origin: 'tool';
  /** Shows that the prompt is being sent. The toast stays if the promise is rejected, and the person can try again. */
  waitUntil(sending: Promise<unknown>): void;
}

/** Why a toast closed. */
export interface CloseDetail {
  readonly notification: Notification;
  readonly reason: 'closed' | 'action' | 'swiped' | 'expired' | 'called';
}

declare global {
  interface HTMLElementEventMap {
    'deskside-prompt': CustomEvent<PromptDetail>;
    'deskside-close': CustomEvent<CloseDetail>;
    /** The detail is the element's `unread`. */
    'deskside-unread': CustomEvent<number>;
  }
}

/** The life of all toasts of one element, from `show` until they close. */
export class ToastController {
  readonly announcer = new Announcer();
  readonly pauses = new PauseReasons((paused) => {
    for (const toast of this.#queue.visible) {
      if (paused) toast.pause();
      else toast.run();
    }
  });
  readonly layer = new ToastLayer(this.pauses, () => this.center.open());
  readonly center: NotificationCenter;
  readonly #host: HTMLElement;
  readonly #settings: Settings;
  readonly #queue = new ToastQueue<Toast>();
  /** The prompt actions that the page has accepted. */
  readonly #states = new WeakMap<NotificationAction, 'sending' | 'sent'>();
  readonly #stateOf = (action: NotificationAction) => {
    const state = this.#states.get(action);
    return state && this.#settings.labels[state];
  };
  readonly #focus = new LayerFocus(this.layer.element, this.pauses);

  /** @param host dispatches the events */
  constructor(host: HTMLElement, settings: Settings) {
    this.#host = host;
    this.#settings = settings;
    this.center = new NotificationCenter({
      settings,
      layer: this.layer,
      focus: this.#focus,
      stateOf: this.#stateOf,
      onUnread: (count) => this.#dispatch('deskside-unread', count),
      onAction: (notification, action, button) => {
        if (wasInView(button)) this.#perform(notification, action);
      },
    });
  }

  /** @param notification with its texts escaped */
  show(notification: Notification): void {
    const duplicate = this.#queue.all.find((toast) => toast.isDuplicate(notification));
    if (duplicate) {
      duplicate.mergeDuplicate(notification);
      return this.#refresh(duplicate);
    }
    const toast = new Toast(notification);
    this.announcer.announce(toast, this.#settings);
    this.#place(toast);
    this.#record(toast);
  }

  /** @returns false if no toast has this id */
  update(id: string, change: (notification: Notification) => Notification): boolean {
    const toast = this.#find(id);
    if (!toast) return false;
    const { actions } = toast.notification;
    toast.notification = change(toast.notification);
    if (JSON.stringify(actions) !== JSON.stringify(toast.notification.actions)) {
      this.layer.stack(toast.position).markMoved();
    }
    this.#refresh(toast);
    return true;
  }

  /** @returns false if no toast has this id */
  dismiss(id: string): boolean {
    const toast = this.#find(id);
    if (toast) this.#close(toast, 'called');
    return Boolean(toast);
  }

  dismissAll(): void {
    const hadFocus = this.#focus.isInside && !this.center.isOpen;
    for (const toast of this.#queue.clear()) this.#leave(toast, 'called');
    if (hadFocus) this.#focus.restore();
    this.#afterChange();
  }

  /** Moves focus to the newest toast, or to the center if there is none. If focus is there, moves it back. */
  toggleFocus(): void {
    if (this.#focus.isInside) {
      if (this.center.isOpen) this.center.close();
      else this.#focus.restore();
      return;
    }
    const newest = this.#queue.visible.toSorted((a, b) => b.shownAt - a.shownAt)[0];
    if (newest?.card) this.#focus.enter(newest.card);
    else this.center.open();
  }

  /** Closes the toast or the center that has focus. @returns false if none has */
  closeFocused(): boolean {
    if (this.center.hasFocus) {
      this.center.close();
      return true;
    }
    const toast = this.#queue.visible.find(({ card }) => card?.matches(':focus-within'));
    if (toast) this.#close(toast, 'closed');
    return Boolean(toast);
  }

  #find(id: string): Toast | undefined {
    return this.#queue.all.find((toast) => toast.hasId(id));
  }

  /** Shows the toast or lets it wait. An error is shown at once. */
  #place(toast: Toast): void {
    const displaced = this.#queue.place(toast);
    if (displaced) this.#withdraw(displaced);
    if (!toast.card && this.#queue.visible.includes(toast)) this.#enter(toast);
  }

  #enter(toast: Toast): void {
    const { position } = toast;
    const card = createCard(this.#cardContent(toast));
    makeSwipeable(card, position === 'top-center' ? 'up' : 'right', (state) => {
      if (state === 'dismissed') this.#close(toast, 'swiped');
      else this.pauses.set('swipe', state === 'dragging');
    });
    toast.card = card;
    toast.shownAt = performance.now();
    this.layer.add(card, position);
    this.#restart(toast);
  }

  /** Takes the card from the screen, if there is one. The toast can enter again. */
  #withdraw(toast: Toast): void {
    toast.pause();
    this.pauses.set('swipe', false);
    if (toast.card) {
      this.layer.stack(toast.position).remove(toast.card, () => this.#afterChange());
    }
    toast.card = undefined;
  }

  /** Shows the changed content and gives the toast its whole time again. */
  #refresh(toast: Toast): void {
    const { card } = toast;
    if (card) {
      this.#fill(toast, card);
      this.#restart(toast);
    }
    this.#place(toast);
    this.#record(toast);
    this.announcer.announceChange(toast, this.#settings);
  }

  #restart(toast: Toast): void {
    toast.restart(this.#settings.exactDurations, () => this.#close(toast, 'expired'));
    if (!this.pauses.paused) toast.run();
  }

  #cardContent(toast: Toast): CardContent {
    const { labels } = this.#settings;
    return {
      notification: toast.notification,
      labels,
      badge: createCountBadge(toast.count, labels),
      stateOf: this.#stateOf,
      onAction: (action, button, event) => this.#click(toast, action, button, event),
      onClose: () => this.#close(toast, 'closed'),
    };
  }

  #click(toast: Toast, action: NotificationAction, button: Element, { detail }: MouseEvent): void {
    if (action.action === 'dismiss') return this.#close(toast, 'action');
    // The detail of a click is 0 if it comes from the keyboard.
    if (detail > 0 && !this.layer.stack(toast.position).isSteady) return;
    if (wasInView(button)) this.#perform(toast.notification, action);
  }

  /** Offers a prompt to the page, which may want to keep the toast and the offer. */
  #perform(notification: Notification, action: NotificationAction): void {
    if (action.action === 'dismiss') return;
    const { prompt, label } = action;
    let sending: Promise<unknown> | undefined;
    const detail: PromptDetail = {
      prompt,
      label,
      notification,
      origin: 'tool',
      waitUntil(promise) {
        sending = promise;
      },
    };
    if (!this.#dispatch('deskside-prompt', detail, true)) return;
    const finish = () => {
      this.#states.set(action, 'sent');
      this.redraw(notification.id);
      const toast = this.#find(notification.id);
      if (toast) this.#close(toast, 'action');
    };
    if (!sending) return finish();
    this.#states.set(action, 'sending');
    this.redraw(notification.id);
    sending.then(finish, () => {
      this.#states.delete(action);
      this.redraw(notification.id);
    });
  }

  /** Draws what is shown again, with the present labels and states. @param id of one notification; without it all */
  redraw(id?: string): void {
    for (const toast of this.#queue.visible) {
      if (toast.card && (!id || toast.hasId(id))) this.#fill(toast, toast.card);
    }
    this.center.redraw(id);
  }

  #fill(toast: Toast, card: HTMLElement): void {
    const focused = card.querySelector('button:focus');
    fillCard(card, this.#cardContent(toast));
    if (focused) focusSame(focused, card);
    this.layer.stack(toast.position).arrange();
  }

  #close(toast: Toast, reason: CloseDetail['reason']): void {
    if (!this.#queue.all.includes(toast)) return;
    const hadKeyboard = toast.card?.matches(':is(:focus-visible, :has(:focus-visible))');
    const hadFocus = toast.card?.matches(':focus-within');
    const next = this.#queue.remove(toast);
    if (next) this.#enter(next);
    if (hadKeyboard) this.#focusNext(toast.position);
    else if (hadFocus) this.#focus.restore();
    this.#leave(toast, reason);
    this.#afterChange();
  }

  #focusNext(position: Position): void {
    const toasts = this.#queue.visible;
    const nextToast = toasts.find((toast) => toast.position === position) ?? toasts[0];
    if (nextToast?.card) nextToast.card.focus();
    else this.#focus.restore();
  }

  #leave(toast: Toast, reason: CloseDetail['reason']): void {
    this.#withdraw(toast);
    const detail: CloseDetail = { notification: toast.notification, reason };
    this.#dispatch('deskside-close', detail);
  }

  /** @returns false if the page prevented the default */
  #dispatch(type: string, detail: unknown, cancelable = false): boolean {
    const event = new CustomEvent(type, { detail, bubbles: true, composed: true, cancelable });
    return this.#host.dispatchEvent(event);
  }

  #record({ notification, count }: Toast): void {
    this.center.record(notification, count);
    this.#afterChange();
  }

  #afterChange(): void {
    for (const position of POSITIONS) {
      const n = this.#queue.waiting(position).length;
      this.layer.stack(position).setMore(n && fillLabel(this.#settings.labels.more, { n }));
    }
    this.#focus.check();
    this.layer.closeIfEmpty();
  }
}

/** How long an announcement stays in its region, so that slow screen readers find it. */
const ANNOUNCEMENT_MS = 10_000;

/** Changes of a toast are announced at most this often. */
const CHANGE_INTERVAL_MS = 2000;

/** Two live regions. They exist before the first toast: a region that appears together with its text is not read out. */
class Announcer {
  readonly polite: HTMLElement = createRegion('status', 'polite');
  readonly assertive: HTMLElement = createRegion('alert', 'assertive');
  readonly #lines = new WeakMap<Toast, HTMLElement>();
  /** The toasts with a change in the last interval, and whether they have changed again. */
  readonly #changes = new Map<Toast, { readonly wasError: boolean; again: boolean }>();

  /** Errors interrupt the screen reader; other notifications wait until it is idle. */
  announce(toast: Toast, { labels, hotkey }: Settings): void {
    const { severity, title, message, actions = [], loading } = toast.notification;
    const hint = actions.length > 0 && hotkey && fillLabel(labels.hint, { key: hotkey });
    const repeated = toast.count > 1 && fillLabel(labels.repeated, { n: toast.count });
    const status = labels[loading ? 'loading' : severity];
    const parts = [`${status}:`, title && `${title}.`, message, repeated, hint];
    const line = create('p', {}, parts.filter(Boolean).join(' '));
    this.#lines.get(toast)?.remove();
    this.#lines.set(toast, line);
    (severity === 'error' ? this.assertive : this.polite).append(line);
    setTimeout(() => line.remove(), ANNOUNCEMENT_MS);
  }

  /** Announces a toast that has changed: the first change and a new error at once, the last one after the interval. */
  announceChange(toast: Toast, settings: Settings): void {
    const recent = this.#changes.get(toast);
    if (recent && (recent.wasError || !toast.isError)) {
      recent.again = true;
      return;
    }
    const change = { wasError: toast.isError, again: false };
    this.#changes.set(toast, change);
    this.announce(toast, settings);
    setTimeout(() => {
      if (this.#changes.get(toast) !== change) return;
      this.#changes.delete(toast);
      if (change.again) this.announceChange(toast, settings);
    }, CHANGE_INTERVAL_MS);
  }
}

/** A region that is not atomic: the screen reader reads the new line, not the earlier ones again. */
function createRegion(role: string, live: string): HTMLElement {
  return create('div', { class: 'unseen', role, 'aria-live': live, 'aria-atomic': 'false' });
}
