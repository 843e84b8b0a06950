import type { Position } from '../notification/notification.ts';
import type { Centre } from './centre.ts';
import type { Toast } from './toast.ts';

export interface NavigationArea {
  readonly layer: HTMLElement;
  readonly centre: Centre;
  readonly visibleToasts: () => readonly Toast[];
  readonly showCentre: () => void;
  readonly hideCentre: () => void;
  readonly close: (toast: Toast) => void;
}

/** The way of the keyboard: in to the toasts, on from one that closes, and out to where it came from. */
export class Navigation {
  readonly #area: NavigationArea;
  /** Where focus was before it came in. */
  #origin: HTMLElement | undefined;

  constructor(area: NavigationArea) {
    this.#area = area;
  }

  /** Focus came in. @param from what had it before, if anything */
  cameFrom(from: EventTarget | null): void {
    const { layer } = this.#area;
    if (from instanceof Node && layer.contains(from)) return;
    this.#origin = from instanceof HTMLElement ? from : undefined;
  }

  openCentre(): void {
    const { centre, showCentre } = this.#area;
    showCentre();
    centre.panel.focus();
  }

  closeCentre(): void {
    const { centre, hideCentre } = this.#area;
    const hadFocus = centre.panel.matches(':focus-within');
    hideCentre();
    if (hadFocus) this.goBack();
  }

  /** The hotkey: in to the newest toast, or to the centre where there is none; and out again. */
  enterOrLeave(): void {
    const { layer, centre, visibleToasts } = this.#area;
    if (layer.matches(':focus-within')) {
      if (centre.isOpen) this.closeCentre();
      else this.goBack();
      return;
    }
    const newest = visibleToasts().toSorted((a, b) => b.shownAt - a.shownAt)[0];
    if (newest === undefined) return this.openCentre();
    newest.card?.focus();
  }

  /** Escape closes what has focus. @returns false where nothing had */
  escape(): boolean {
    const { centre, visibleToasts, close } = this.#area;
    if (centre.panel.matches(':focus-within')) {
      this.closeCentre();
      return true;
    }
    const toast = visibleToasts().find(({ card }) => card?.matches(':focus-within') === true);
    if (toast !== undefined) close(toast);
    return toast !== undefined;
  }

  /** A toast with focus goes: the next at its position gets it, else any other, else the page. */
  moveOn(position: Position): void {
    const toasts = this.#area.visibleToasts();
    const heir = toasts.find((toast) => toast.position === position) ?? toasts[0];
    if (heir?.card === undefined) this.goBack();
    else heir.card.focus();
  }

  /** Focus goes to where it came from. */
  goBack(): void {
    if (this.#origin?.isConnected === true) this.#origin.focus();
    this.#origin = undefined;
  }
}
