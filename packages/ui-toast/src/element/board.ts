import type { Notification, NotificationAction, NotificationContent } from '../notification/notification.ts';
import { sameContent } from '../notification/same-content.ts';
import { Announcer } from './announcer.ts';
import { Centre } from './centre.ts';
import type { CloseDetail, PromptDetail } from './events.ts';
import { History } from './history.ts';
import { filled, type Labels } from './labels.ts';
import { Lineup } from './lineup.ts';
import { Navigation } from './navigation.ts';
import { Pauses } from './pauses.ts';
import { Stage } from './stage.ts';
import { makeSwipeable } from './swipe.ts';
import { timeShown } from './time-shown.ts';
import { Toast } from './toast.ts';

export interface BoardSettings {
  readonly labels: Labels;
  /** The key that leads here; empty for none. */
  readonly hotkey: string;
  /** Toasts with actions stay no longer than they say. */
  readonly exactDurations: boolean;
}

export interface BoardHandlers {
  readonly settings: () => BoardSettings;
  /** @returns false where the page wants the toast to stay */
  readonly onPrompt: (detail: PromptDetail) => boolean;
  readonly onClose: (detail: CloseDetail) => void;
}

/** All that happens to toasts between coming and going; it knows neither ids seen before nor the page around. */
export class Board {
  readonly announcer = new Announcer();
  readonly pauses = new Pauses((paused) => {
    for (const toast of this.#lineup.visible) {
      if (paused) toast.pause();
      else toast.run();
    }
  });
  readonly history = new History();
  readonly stage = new Stage({
    onHover: (hovered) => this.pauses.set('hover', hovered),
    onMore: () => this.navigation.openCentre(),
  });
  readonly #lineup = new Lineup<Toast>();
  readonly #centre = new Centre({
    onAction: (notification, action) => this.#offer(notification, action),
    onClear: () => this.forget(),
    onClose: () => this.navigation.closeCentre(),
  });
  readonly navigation = new Navigation({
    layer: this.stage.layer,
    centre: this.#centre,
    visibleToasts: () => this.#lineup.visible,
    showCentre: () => {
      this.#centre.open(this.history.entries, this.#settings.labels);
      this.stage.raise(true);
    },
    hideCentre: () => {
      this.#centre.close();
      this.#afterChange();
    },
    close: (toast) => this.#remove(toast, 'closed'),
  });
  readonly #handlers: BoardHandlers;

  constructor(handlers: BoardHandlers) {
    this.#handlers = handlers;
    this.stage.layer.append(this.#centre.panel);
  }

  show(notification: Notification): void {
    const same = this.#lineup.find((toast) => sameContent(toast.notification, notification));
    if (same !== undefined) return this.#fold(same);
    const toast = new Toast(notification, () => this.#settings.labels, {
      onAction: (toast, action, event) => this.#onAction(toast, action, event),
      onClose: (toast) => this.#remove(toast, 'closed'),
      onEnd: (toast) => this.#remove(toast, 'expired'),
    });
    const shown = this.#lineup.add(toast);
    if (shown !== undefined) this.#enter(shown);
    this.#record(toast);
  }

  update(id: string, change: (notification: Notification) => Notification): boolean {
    const toast = this.#find(id);
    if (toast === undefined) return false;
    toast.notification = change(toast.notification);
    toast.refresh(this.#timeShown(toast.notification));
    if (toast.card !== undefined) {
      if (!this.pauses.paused) toast.run();
      this.#announce(toast.notification);
    }
    this.#record(toast);
    return true;
  }

  dismiss(id: string): boolean {
    const toast = this.#find(id);
    if (toast !== undefined) this.#remove(toast, 'called');
    return toast !== undefined;
  }

  dismissAll(): void {
    const hadFocus = this.stage.layer.matches(':focus-within') && !this.#centre.isOpen;
    for (const toast of this.#lineup.clear()) this.#leave(toast, 'called');
    if (hadFocus) this.navigation.goBack();
    this.#afterChange();
  }

  forget(): void {
    this.history.clear();
    this.#drawCentre();
  }

  /** Over what the page put on top since. */
  raise(): void {
    this.stage.raise(this.#hasSomething);
  }

  get #settings(): BoardSettings {
    return this.#handlers.settings();
  }

  get #hasSomething(): boolean {
    return this.#centre.isOpen || this.#lineup.visible.length > 0;
  }

  #find(id: string): Toast | undefined {
    return this.#lineup.find(({ notification }) => notification.id === id);
  }

  #enter(toast: Toast): void {
    const { position } = toast;
    if (!this.stage.isOpen) this.stage.raise(true);
    const card = toast.show(this.#timeShown(toast.notification));
    makeSwipeable(card, position === 'top-center' ? 'up' : 'right', {
      onStart: () => this.pauses.set('swipe', true),
      onEnd: () => this.pauses.set('swipe', false),
      onSwiped: () => this.#remove(toast, 'swiped'),
    });
    this.stage.add(card, position);
    if (!this.pauses.paused) toast.run();
    this.#announce(toast.notification);
  }

  #fold(toast: Toast): void {
    toast.count += 1;
    toast.refresh(this.#timeShown(toast.notification));
    if (!this.pauses.paused) toast.run();
    this.#record(toast);
  }

  #remove(toast: Toast, reason: CloseDetail['reason']): void {
    if (this.#find(toast.notification.id) === undefined) return;
    const hadFocus = toast.card?.matches(':is(:focus-visible, :has(:focus-visible))') === true;
    const next = this.#lineup.remove(toast);
    if (next !== undefined) this.#enter(next);
    if (hadFocus) this.navigation.moveOn(toast.position);
    this.#leave(toast, reason);
    this.#afterChange();
  }

  #leave(toast: Toast, reason: CloseDetail['reason']): void {
    toast.pause();
    this.pauses.set('swipe', false);
    if (toast.card !== undefined) this.stage.remove(toast.card, toast.position, () => this.#afterChange());
    this.#handlers.onClose({ notification: toast.notification, reason });
  }

  #onAction(toast: Toast, action: NotificationAction, event: MouseEvent): void {
    const byPointer = event.detail > 0;
    if (action.action === 'prompt' && byPointer && !this.stage.isSteady(toast.position)) return;
    if (this.#offer(toast.notification, action)) this.#remove(toast, 'action');
  }

  #offer(notification: Notification, action: NotificationAction): boolean {
    if (action.action === 'dismiss') return true;
    const { prompt, label } = action;
    return this.#handlers.onPrompt({ prompt, label, notification, origin: 'tool' });
  }

  #announce({ severity, title, message, actions = [] }: Notification): void {
    const { labels, hotkey } = this.#settings;
    const hint = actions.length > 0 && hotkey !== '' ? filled(labels.hint, { key: hotkey }) : '';
    const sentence = [`${labels[severity]}:`, title === undefined ? '' : `${title}.`, message, hint];
    this.announcer.say(sentence.filter(Boolean).join(' '), severity === 'error' ? 'assertive' : 'polite');
  }

  #record({ notification, count }: Toast): void {
    this.history.put(notification, count);
    this.#afterChange();
  }

  #afterChange(): void {
    this.stage.setWaiting((position) => this.#lineup.waiting(position).length, this.#settings.labels);
    this.#drawCentre();
    // Not every browser says so when an element is removed with focus in it.
    if (!this.stage.layer.matches(':focus-within')) this.pauses.set('focus', false);
    if (!this.#hasSomething && this.stage.isEmpty) this.stage.raise(false);
  }

  #drawCentre(): void {
    this.#centre.fill(this.history.entries, this.#settings.labels);
  }

  #timeShown(content: NotificationContent): number {
    return this.#settings.exactDurations ? content.duration : timeShown(content);
  }
}
