/**
 * A modal dialog makes everything outside of it inert, the top layer too. While one is open, the host lives in it,
 * so that its toasts can be read and clicked, and its live regions heard; afterwards it goes back to its place.
 */
export class ModalShelter {
  readonly #host: HTMLElement;
  #place: Comment | undefined;

  constructor(host: HTMLElement) {
    this.#host = host;
  }

  /** Moves the host where it can be used. @returns whether it moved */
  settle(): boolean {
    const modal = topModal();
    if (modal === undefined) return this.#goBack();
    if (modal.contains(this.#host)) return false;
    if (this.#place === undefined) {
      this.#place = document.createComment('deskside-toaster');
      this.#host.before(this.#place);
    }
    modal.append(this.#host);
    return true;
  }

  #goBack(): boolean {
    if (this.#place === undefined) return false;
    if (this.#place.isConnected) this.#place.replaceWith(this.#host);
    else document.body.append(this.#host);
    this.#place = undefined;
    return true;
  }
}

/** Focus is in the topmost one, if it is in any. */
function topModal(): Element | undefined {
  return (
    document.activeElement?.closest('dialog:modal') ?? [...document.querySelectorAll('dialog:modal')].at(-1)
  );
}
