/** Ids that are remembered; older ones are forgotten. */
const KEPT = 500;
const KEY = 'deskside-seen-notifications';

/** The ids this tab has shown, over reloads: a replayed stream shows nothing twice. */
export class SeenIds {
  readonly #ids: Set<string>;

  constructor() {
    this.#ids = new Set(stored());
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    const kept = [...this.#ids].slice(-KEPT);
    if (kept.length < this.#ids.size) for (const old of [...this.#ids].slice(0, -KEPT)) this.#ids.delete(old);
    try {
      sessionStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
      // A sandboxed frame or a full store: this page's own memory is all there is.
    }
  }
}

function stored(): readonly string[] {
  try {
    const ids: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}
