import { type Clock, newSecret, tokenDigest } from '@deskside/core/base';

export const LINK_MS = 60_000;
/** After its last use: a page that is open uses its key every few minutes. */
const KEY_MS = 24 * 60 * 60_000;

/**
 * Who may use the page. A link contains a secret for one use, in its fragment, which no browser sends. The page exchanges
 * it for a key. Only digests are stored: a lookup takes a time that says nothing about the secret.
 */
export class PageAuth {
  /** By the digest of the secret: the end of its time. */
  readonly #links = new Map<string, number>();
  /** By the digest of a used secret: the digest of its key. */
  readonly #used = new Map<string, string>();
  /** By the digest of the key: the end of its time. */
  readonly #keys = new Map<string, number>();
  readonly #clock: Pick<Clock, 'elapsedMs'>;
  /** Called with the digest of a key that is no longer valid. */
  onRevoked: (key: string) => void = () => {};

  constructor(clock: Pick<Clock, 'elapsedMs'>) {
    this.#clock = clock;
  }

  /** @returns a secret for one exchange within 60 s */
  newSecret(): string {
    const secret = newSecret();
    const atMs = this.#clock.elapsedMs();
    for (const [link, until] of this.#links) if (until < atMs) this.#links.delete(link);
    this.#links.set(tokenDigest(secret), atMs + LINK_MS);
    return secret;
  }

  /**
   * A second use means that two programs have the link, and it is not known which of them the person opened: both lose.
   *
   * @returns a key, undefined for a secret that is unknown, used or too old
   */
  exchange(secret: string): string | undefined {
    const link = tokenDigest(secret);
    const until = this.#links.get(link);
    this.#links.delete(link);
    const earlier = this.#used.get(link);
    if (earlier !== undefined) this.#revoke(earlier);
    if (until === undefined || until < this.#clock.elapsedMs()) return undefined;
    const key = newSecret();
    this.#used.set(link, tokenDigest(key));
    this.#extend(tokenDigest(key));
    return key;
  }

  /** @returns the digest of a valid key */
  accept(key: string): string | undefined {
    const known = tokenDigest(key);
    const until = this.#keys.get(known);
    if (until === undefined) return undefined;
    if (until < this.#clock.elapsedMs()) {
      this.#revoke(known);
      return undefined;
    }
    this.#extend(known);
    return known;
  }

  #extend(key: string): void {
    this.#keys.set(key, this.#clock.elapsedMs() + KEY_MS);
  }

  #revoke(key: string): void {
    if (this.#keys.delete(key)) this.onRevoked(key);
  }
}
