/** How late a change of another process is noticed. */
const LOOK_INTERVAL_MS = 250;

/** A row of the audit. */
export interface SeenChange {
  readonly id: number;
  /** Null for several tasks. */
  readonly taskId: number | null;
}

/** Tells which tasks of a user were changed, by whichever process: both databases have a row in the audit for each change. */
export class TaskWatch implements Disposable {
  readonly user: string;
  readonly #read: (since: number | undefined) => Promise<readonly SeenChange[]>;
  #changed: (taskId?: number) => void;
  readonly #timer: NodeJS.Timeout;
  /** The rows of the last look. Undefined before the first one, which tells nothing. */
  #seen: ReadonlySet<number> | undefined;
  #newest: number | undefined;
  #isLooking = false;
  #isAsked = false;

  /** @param read the newest changes, also some from before `since` */
  constructor(
    user: string,
    read: (since: number | undefined) => Promise<readonly SeenChange[]>,
    changed: (taskId?: number) => void,
  ) {
    this.user = user;
    this.#read = read;
    this.#changed = changed;
    this.#timer = setInterval(() => void this.look(), LOOK_INTERVAL_MS).unref();
    void this.look();
  }

  /** Looks now, and once more if it is asked to meanwhile. */
  async look(): Promise<void> {
    this.#isAsked = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#isAsked) {
      this.#isAsked = false;
      // What cannot be read now is read by the next look.
      this.#tell(await this.#read(this.#newest).catch(() => undefined));
    }
    this.#isLooking = false;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    // Also what is being read is no longer told.
    this.#changed = () => undefined;
  }

  #tell(rows: readonly SeenChange[] | undefined): void {
    if (rows === undefined) return;
    const news = this.#seen === undefined ? [] : rows.filter(({ id }) => this.#seen?.has(id) === false);
    this.#seen = new Set(rows.map(({ id }) => id));
    this.#newest = rows.at(-1)?.id ?? this.#newest;
    for (const taskId of new Set(news.map((row) => row.taskId))) this.#changed(taskId ?? undefined);
  }
}
