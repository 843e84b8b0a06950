import { createCard, fillCard, type CardContent } from '../card/card.ts';
import type { ToastContent } from '../card/content.ts';
import { PauseReasons } from '../card/countdown.ts';
import { create } from '../card/dom.ts';
import { type PromptAction, TOAST_POSITIONS, type ToastAction } from '../notification/notification.ts';
import { Announcer } from './announcer.ts';
import { NotificationCenter } from './center.ts';
import { focusSame, LayerFocus } from './focus.ts';
import { readInput, type ToastInput } from './input.ts';
import { ToastLayer, wasInView } from './layer.ts';
import { fillLabel, type Settings } from './settings.ts';
import { isSmallScreen } from './stack.ts';
import { makeSwipeable, Toast } from './toast.ts';

/** Toasts in a pile, or errors at a position. */
const MAX_VISIBLE_TOASTS = 3;
/** Toasts that have fallen out of their piles and can still be updated. */
const MAX_FALLEN_TOASTS = 50;

/**
 * A person clicked a prompt action. The element sends nothing: the page sends the prompt as the person's message, or
 * asks first. `preventDefault()` keeps the toast open.
 */
export interface PromptDetail {
  readonly prompt: string;
  readonly label: string;
  readonly notification: ToastContent;
  /** The text comes from a tool, not from the person. */
  readonly origin: 'tool';
  /** Shows that the prompt is being sent. The toast stays if the promise is rejected, and the person can try again. */
  waitUntil(sending: Promise<unknown>): void;
}

/** Why a toast closed. `displaced`: it fell out of its pile, and is in the notification center. */
export interface CloseDetail {
  readonly notification: ToastContent;
  readonly reason: 'closed' | 'action' | 'swiped' | 'expired' | 'called' | 'displaced';
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
  readonly announcer: Announcer;
  readonly pauses = new PauseReasons((paused) => {
    for (const toast of this.#visible) {
      if (paused) toast.pause();
      else toast.run();
    }
  });
  readonly layer = new ToastLayer(this.pauses, () => this.center.open());
  readonly center: NotificationCenter;
  readonly #host: HTMLElement;
  readonly #settings: Settings;
  /** By id, in the order of their arrival. */
  readonly #toasts = new Map<string, Toast>();
  /** The prompt actions that the page has accepted. */
  readonly #states = new WeakMap<ToastAction, 'sending' | 'sent'>();
  readonly #stateOf = (action: ToastAction) => {
    const state = this.#states.get(action);
    return state && this.#settings.labels[state];
  };
  readonly #focus = new LayerFocus(this.layer.element, this.pauses);

  /** @param host dispatches the events */
  constructor(host: HTMLElement, settings: Settings) {
    this.#host = host;
    this.#settings = settings;
    this.announcer = new Announcer(settings);
    this.center = new NotificationCenter({
      settings,
      layer: this.layer,
      focus: this.#focus,
      stateOf: this.#stateOf,
      onUnread: (count) => {
        this.#dispatch('deskside-unread', count);
        this.#afterChange();
      },
      onAction: (notification, action, button) => {
        if (action.action === 'prompt') this.#perform(notification, action, button);
      },
    });
  }

  /** Shows a toast, or changes the one with this id in its place and gives it its whole time again. */
  show(input: ToastInput, id: string): void {
    const notification = readInput(input, id, this.#settings);
    const known = this.find(id);
    const toast = known ?? new Toast(input, notification);
    const old = toast.notification.actions;
    toast.input = input;
    toast.notification = {
      ...notification,
      position: toast.position,
      // A prompt that is being sent stays the same object, so that its state stays. After that it is offered again.
      actions: notification.actions.map(
        (action) =>
          (action.action === 'prompt' &&
            old.find(
              (other) =>
                this.#states.get(other) !== 'sent' && JSON.stringify(other) === JSON.stringify(action),
            )) ||
          action,
      ),
    };
    if (toast.card) {
      if (JSON.stringify(old) !== JSON.stringify(notification.actions))
        this.layer.stacks[toast.position].markMoved();
      this.#fill(toast, toast.card);
      this.#restart(toast);
    } else if (!known || !notification.loading) this.#enter(toast);
    this.#makeRoom(toast);
    if (known) this.announcer.announceChange(toast);
    else this.announcer.announce(toast);
    this.center.record(toast.notification);
    this.#afterChange();
  }

  /** Records what another tab shows. */
  record(input: ToastInput, id: string): void {
    this.center.record(readInput(input, id, this.#settings));
  }

  /** Also finds a toast that has fallen out of its pile. */
  find(id: string): Toast | undefined {
    return this.#toasts.get(id);
  }

  /** @returns false if no toast has this id */
  dismiss(id: string): boolean {
    const toast = this.find(id);
    if (toast) this.#close(toast, 'called');
    return Boolean(toast);
  }

  dismissAll(): void {
    // A page may show another one when one closes.
    const ids = [...this.#toasts.keys()];
    for (const id of ids) this.dismiss(id);
  }

  /** Moves focus to the newest toast, or to the center if there is none. If focus is there, moves it back. */
  toggleFocus(): void {
    if (this.#focus.isInside) {
      if (this.center.isOpen) this.center.close();
      else this.#focus.restore();
      return;
    }
    const newest = this.#visible.at(-1);
    if (newest?.card) this.#focus.enter(newest.card);
    else this.center.open();
  }

  get hasFocus(): boolean {
    return this.#focus.isInside;
  }

  /** Moves focus back to where it was before the page took the element away. */
  recover(): void {
    this.#focus.recover();
  }

  /** Closes the toast or the center that has focus. @returns false if none has */
  closeFocused(): boolean {
    if (this.center.hasFocus) {
      this.center.close();
      return true;
    }
    const toast = this.#visible.find(({ card }) => card?.matches(':focus-within'));
    if (toast) this.#close(toast, 'closed');
    return Boolean(toast);
  }

  get #visible(): readonly Toast[] {
    return [...this.#toasts.values()].filter(({ card }) => card);
  }

  /** Lets the lightest and oldest toasts of a full pile fall, never the newest one. They stay in the center. */
  #makeRoom(newest: Toast): void {
    const peers = this.#visible.filter(
      ({ position, isError }) =>
        position === newest.position && (isError === newest.isError || isSmallScreen()),
    );
    const falling = peers
      // What the person points at, or has focus in, stays.
      .filter((toast) => toast !== newest && !toast.card?.matches(':hover, :focus-within'))
      .toSorted((a, b) => a.weight - b.weight)
      .slice(0, Math.max(0, peers.length - MAX_VISIBLE_TOASTS));
    for (const toast of falling) this.#leave(toast, 'displaced');
    const fallen = [...this.#toasts.values()].filter(({ card }) => !card);
    for (const { notification } of fallen.slice(0, -MAX_FALLEN_TOASTS)) this.#toasts.delete(notification.id);
  }

  #enter(toast: Toast): void {
    const { position, notification } = toast;
    // The newest one is last, also if it has fallen out before.
    this.#toasts.delete(notification.id);
    this.#toasts.set(notification.id, toast);
    const card = createCard(this.#cardContent(toast));
    makeSwipeable(card, position, (state) => {
      if (state === 'dismissed') this.#close(toast, 'swiped');
      else this.pauses.set('swipe', state === 'dragging');
    });
    toast.card = card;
    this.layer.add(card, position);
    this.#restart(toast);
  }

  #restart(toast: Toast): void {
    toast.restart(() => this.#close(toast, 'expired'));
    if (!this.pauses.paused) toast.run();
  }

  #cardContent(toast: Toast): CardContent {
    return {
      notification: { ...toast.notification, ...this.#createSlots(toast) },
      labels: this.#settings.labels,
      stateOf: this.#stateOf,
      onAction: (action, button, event) => this.#click(toast, action, button, event),
      onClose: () => this.#close(toast, 'closed'),
    };
  }

  /** The nodes of a page stay in the page, with its styles and events. The card has slots for them. */
  #createSlots(toast: Toast): Partial<Record<SlotName, HTMLElement>> {
    const slots: Partial<Record<SlotName, HTMLElement>> = {};
    for (const name of SLOT_NAMES) {
      const node = toast.notification[name];
      if (node !== toast.nodes[name]) toast.nodes[name]?.remove();
      toast.nodes[name] = node;
      if (!node) continue;
      node.slot = name + toast.key;
      if (node.parentNode !== this.#host) this.#host.append(node);
      slots[name] = create('slot', { name: node.slot });
    }
    return slots;
  }

  #click(toast: Toast, action: ToastAction, button: Element, event: MouseEvent): void {
    if (action.action === 'prompt') {
      // The detail of a click is 0 if it comes from the keyboard.
      if (event.detail > 0 && !this.layer.stacks[toast.position].isSteady) return;
      return this.#perform(toast.notification, action, button);
    }
    if (!action.action) action.onClick?.(event);
    if (!event.defaultPrevented) this.#close(toast, 'action');
  }

  /** Offers a prompt to the page, which may want to keep the toast and the offer. */
  #perform(notification: ToastContent, action: PromptAction, button: Element): void {
    if (!wasInView(button)) return;
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
      const toast = this.find(notification.id);
      // A newer notification with its id stays.
      if (toast?.notification === notification) this.#close(toast, 'action');
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
    for (const toast of this.#visible) {
      if (toast.card && (!id || toast.notification.id === id)) this.#fill(toast, toast.card);
    }
    this.center.redraw(id);
  }

  #fill(toast: Toast, card: HTMLElement): void {
    const focused = card.querySelector('button:focus');
    fillCard(card, this.#cardContent(toast));
    if (focused) focusSame(focused, card);
    this.layer.stacks[toast.position].arrange();
  }

  #close(toast: Toast, reason: CloseDetail['reason']): void {
    const { notification, card, position } = toast;
    if (this.find(notification.id) !== toast) return;
    this.#toasts.delete(notification.id);
    if (card?.matches(':focus-within')) {
      const others = this.#visible;
      const next = others.find((other) => other.position === position) ?? others[0];
      // After a click the person goes on in the page.
      if (next?.card && card.matches(':focus-visible, :has(:focus-visible)')) next.card.focus();
      else this.#focus.restore();
    }
    if (card) this.#leave(toast, reason);
    this.#afterChange();
  }

  /** Takes the card from the screen. */
  #leave(toast: Toast, reason: CloseDetail['reason']): void {
    const { card, position, notification } = toast;
    toast.pause();
    toast.card = undefined;
    this.pauses.set('swipe', false);
    if (card) {
      this.layer.stacks[position].remove(card, () => {
        // Another toast may have them by now.
        for (const name of SLOT_NAMES) {
          const node = toast.nodes[name];
          if (node?.slot === name + toast.key && !toast.card) node.remove();
        }
        this.#afterChange();
      });
    }
    this.#dispatch('deskside-close', { notification, reason } satisfies CloseDetail);
  }

  /** @returns false if the page prevented the default */
  #dispatch(type: string, detail: unknown, cancelable = false): boolean {
    const event = new CustomEvent(type, { detail, bubbles: true, composed: true, cancelable });
    return this.#host.dispatchEvent(event);
  }

  /** What has fallen out of a pile is counted while something else is shown there. */
  #afterChange(): void {
    const toasts = [...this.#toasts.values()];
    for (const position of TOAST_POSITIONS) {
      const here = toasts.filter((toast) => toast.position === position);
      const fallen = here.filter(({ card, notification }) => !card && this.center.isUnread(notification.id));
      const n = fallen.length < here.length && fallen.length;
      this.layer.stacks[position].setMore(n && fillLabel(this.#settings.labels.more, { n }));
    }
    this.#focus.check();
    this.layer.closeIfEmpty();
  }
}

const SLOT_NAMES = ['icon', 'body'] as const;
type SlotName = (typeof SLOT_NAMES)[number];
