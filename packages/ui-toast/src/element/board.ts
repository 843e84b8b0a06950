import type { Notification, NotificationContent } from '../notification/notification.ts';
import { sameContent } from '../notification/same-content.ts';
import { announcement } from './announcement.ts';
import { Announcer } from './announcer.ts';
import { Centre } from './centre.ts';
import type { CloseDetail, PromptDetail } from './events.ts';
import type { Labels } from './labels.ts';
import { Lineup } from './lineup.ts';
import { Navigation } from './navigation.ts';
import { Offers } from './offers.ts';
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
  readonly stage = new Stage({
    onHover: (hovered) => this.pauses.set('hover', hovered),
    onMore: () => this.navigation.openCentre(),
  });
  readonly centre = new Centre({
    labels: () => this.#settings.labels,
    onAction: (notification, action) => this.#offers.take(notification, action),
    onClose: () => this.navigation.closeCentre(),
  });
  readonly #lineup = new Lineup<Toast>();
  readonly navigation = new Navigation({
    layer: this.stage.layer,
    centre: this.centre,
    visibleToasts: () => this.#lineup.visible,
    showCentre: () => {
      this.centre.open();
      this.stage.raise(true);
    },
    hideCentre: () => {
      this.centre.close();
      this.#afterChange();
    },
    close: (toast) => this.#remove(toast, 'closed'),
  });
  readonly #offers: Offers;
  readonly #handlers: BoardHandlers;

  constructor(handlers: BoardHandlers) {
    this.#handlers = handlers;
    this.#offers = new Offers(this.stage, handlers.onPrompt);
    this.stage.layer.append(this.centre.panel);
  }

  show(notification: Notification): void {
    const same = this.#lineup.find((toast) => sameContent(toast.notification, notification));
    if (same !== undefined) {
      same.fold(notification);
      return this.#changed(same);
    }
    const toast = new Toast(notification, () => this.#settings.labels, {
      onAction: (toast, action, event) => {
        if (this.#offers.takeFrom(toast, action, event)) this.#remove(toast, 'action');
      },
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
    this.#changed(toast);
    if (toast.card !== undefined) this.#announce(toast.notification);
    return true;
  }

  dismiss(id: string): boolean {
    const toast = this.#find(id);
    if (toast !== undefined) this.#remove(toast, 'called');
    return toast !== undefined;
  }

  dismissAll(): void {
    const hadFocus = this.stage.layer.matches(':focus-within') && !this.centre.isOpen;
    for (const toast of this.#lineup.clear()) this.#leave(toast, 'called');
    if (hadFocus) this.navigation.goBack();
    this.#afterChange();
  }

  /** Over what the page put on top since. */
  raise(): void {
    this.stage.raise(this.#hasSomething);
  }

  get #settings(): BoardSettings {
    return this.#handlers.settings();
  }

  get #hasSomething(): boolean {
    return this.centre.isOpen || this.#lineup.visible.length > 0;
  }

  #find(id: string): Toast | undefined {
    return this.#lineup.find((toast) => toast.isNamed(id));
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

  /** It says something else now, or stays longer, and gets its whole time again. */
  #changed(toast: Toast): void {
    toast.refresh(this.#timeShown(toast.notification));
    this.#lineup.reorder(toast);
    if (!this.pauses.paused) toast.run();
    this.#record(toast);
  }

  #remove(toast: Toast, reason: CloseDetail['reason']): void {
    if (this.#lineup.find((other) => other === toast) === undefined) return;
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

  #announce(notification: Notification): void {
    const { labels, hotkey } = this.#settings;
    const urgency = notification.severity === 'error' ? 'assertive' : 'polite';
    this.announcer.say(announcement(notification, labels, hotkey), urgency);
  }

  #record({ notification, count }: Toast): void {
    this.centre.put(notification, count);
    this.#afterChange();
  }

  #afterChange(): void {
    this.stage.setWaiting((position) => this.#lineup.waiting(position).length, this.#settings.labels);
    // Not every browser says so when an element is removed with focus in it.
    if (!this.stage.layer.matches(':focus-within')) this.pauses.set('focus', false);
    if (!this.#hasSomething && this.stage.isEmpty) this.stage.raise(false);
  }

  #timeShown(content: NotificationContent): number {
    return this.#settings.exactDurations ? content.duration : timeShown(content);
  }
}
