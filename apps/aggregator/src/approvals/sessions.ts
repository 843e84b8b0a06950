/** What the person has decided for a conversation. It ends with this process. */
interface ToolMemory {
  isAllowed: boolean;
  denials: number;
  /** What the person wrote last. */
  reason: string;
}

/** After so many denials a tool is denied for the conversation. */
const MAX_DENIALS = 2;
/** Clients name their conversations. */
const MAX_TOOLS = 10_000;

/** By conversation, tool and definition. */
export class SessionMemory {
  /** The latest used at the end. */
  readonly #tools = new Map<string, ToolMemory>();

  isAllowed(key: string): boolean {
    return this.#tools.get(key)?.isAllowed === true;
  }

  /** @returns what the person wrote when the tool was denied too often */
  denial(key: string): string | undefined {
    const known = this.#tools.get(key);
    return known !== undefined && known.denials >= MAX_DENIALS ? known.reason : undefined;
  }

  allow(key: string): void {
    this.#of(key).isAllowed = true;
  }

  deny(key: string, reason: string): void {
    const known = this.#of(key);
    known.denials += 1;
    known.reason = reason;
  }

  #of(key: string): ToolMemory {
    const known = this.#tools.get(key) ?? { isAllowed: false, denials: 0, reason: '' };
    this.#tools.delete(key);
    this.#tools.set(key, known);
    const [oldest] = this.#tools.keys();
    if (this.#tools.size > MAX_TOOLS && oldest !== undefined) this.#tools.delete(oldest);
    return known;
  }
}
