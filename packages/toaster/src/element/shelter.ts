/** They show nothing that is put into them. */
const HAS_NO_CONTENT = 'video, canvas, img, svg, iframe';
const DIALOG = 'dialog:modal, dialog[open][closedby=any]';

/**
 * A modal dialog and an element in fullscreen make everything outside of them inert, the top layer too, and a
 * dialog with `closedby=any` closes at a press outside. While there is one, the host moves into it, so that a
 * person can read and press the toasts and a screen reader announces them.
 */
export class Shelter {
  readonly #host: HTMLElement;
  readonly #update = () => this.update();
  /** Marks the host's own place in the page while it is away. */
  #place: Comment | undefined;
  #shelter: Element | ShadowRoot | undefined;
  #cage: HTMLDialogElement | undefined;

  constructor(host: HTMLElement) {
    this.#host = host;
  }

  get isAway(): boolean {
    return Boolean(this.#place);
  }

  /** Moves the host to where it can be used. @returns whether it moved */
  update(): boolean {
    const host = this.#host;
    // The page has given it another place.
    if (host.isConnected && host.parentNode !== this.#shelter) this.forget();
    const shelter = this.#find();
    if (!shelter || shelter.contains(this.#place ?? host)) return this.#moveBack();
    if (host.parentNode === shelter) return false;
    if (!this.#place) {
      this.#place = document.createComment('deskside-toaster');
      host.before(this.#place);
    }
    this.#shelter = shelter;
    // The document gets no toggle event from a shadow root, nor from older browsers.
    shelter.addEventListener('close', this.#update);
    shelter.append(host);
    return true;
  }

  /** Whether nothing but a modal dialog can be used over what is in fullscreen. */
  get isBlocked(): boolean {
    return Boolean(deepest('fullscreenElement')?.matches(HAS_NO_CONTENT));
  }

  /** Opens a modal dialog for the host while the person reaches for it, if nothing else can be used. */
  reachFor(isWanted: boolean): void {
    const cage = this.#cage;
    if (isWanted && !cage && this.isBlocked) {
      this.#cage = document.body.appendChild(document.createElement('dialog'));
      this.#cage.style.all = 'unset';
      this.#cage.showModal();
    } else if (!isWanted && cage) {
      // It gives focus back.
      cage.close();
      cage.remove();
      this.#cage = undefined;
    } else return;
    this.update();
  }

  /** The host has no place in the page any more. */
  forget(): void {
    this.#place?.remove();
    this.#place = undefined;
  }

  /** Brings the host back if the page has drawn again what is around it. @returns whether it is in the page */
  rescue(): boolean {
    if (!this.#host.isConnected && this.#place && (this.#shelter?.isConnected || this.#place.isConnected))
      this.update();
    return this.#host.isConnected;
  }

  #moveBack(): boolean {
    const place = this.#place;
    if (!place) return false;
    this.#place = undefined;
    if (place.isConnected) place.replaceWith(this.#host);
    else document.body.append(this.#host);
    return true;
  }

  #find(): Element | ShadowRoot | undefined {
    const dialog = this.#topDialog;
    const fullscreen = deepest('fullscreenElement');
    const isOnTop = fullscreen && dialogAround(fullscreen) === dialog && !fullscreen.matches(HAS_NO_CONTENT);
    // A custom element may have no slot for it.
    return isOnTop ? (fullscreen.shadowRoot ?? fullscreen) : dialog;
  }

  /** If focus is in a dialog, that one is the topmost. */
  get #topDialog(): Element | undefined {
    const shelter = this.#shelter;
    return (
      dialogAround(deepest('activeElement')) ??
      // It may be in a shadow root, where a search in the document does not find it.
      (shelter instanceof Element && shelter.matches(DIALOG) ? shelter : undefined) ??
      [...document.querySelectorAll(DIALOG)].at(-1)
    );
  }
}

/** The element with focus, or the one in fullscreen, in any shadow root. */
function deepest(key: 'activeElement' | 'fullscreenElement', element = document[key]): Element | null {
  const inner = element?.shadowRoot?.[key];
  return inner ? deepest(key, inner) : element;
}

/** The dialog around an element, in any shadow root. */
function dialogAround(inner: Element | null): Element | undefined {
  const dialog = inner?.closest(DIALOG);
  const root = inner?.getRootNode();
  return dialog ?? (root instanceof ShadowRoot ? dialogAround(root.host) : undefined);
}
