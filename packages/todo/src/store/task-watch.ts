/** How late a change is noticed. */
const LOOK_INTERVAL_MS = 250;

/** A row of the audit. */
export interface SeenChange {
  readonly id: number;
  /** Null for several tasks. */
  readonly taskId: number | null;
}

/**
 * Tells which tasks of a user are changed, by whichever process: both databases have a row in the audit for each change.
 *
 * @param read the newest changes, also some from before `since`
 * @param changed the id is undefined if several tasks were added
 * @returns a function that ends it
 */
export function watchTasks(
  read: (since: number | undefined) => Promise<readonly SeenChange[]>,
  changed: (taskId?: number) => void,
): () => void {
  /** The rows of the last look. Undefined before the first one, which tells nothing. */
  let seen: ReadonlySet<number> | undefined;
  let newest: number | undefined;
  let isLooking = false;
  let isEnded = false;

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    // What cannot be read now is read by the next look.
    const rows = await read(newest).catch(() => undefined);
    isLooking = false;
    if (rows === undefined || isEnded) return;
    const news = rows.filter(({ id }) => seen?.has(id) === false);
    seen = new Set(rows.map(({ id }) => id));
    newest = rows.at(-1)?.id ?? newest;
    for (const taskId of new Set(news.map((row) => row.taskId))) changed(taskId ?? undefined);
  }

  const timer = setInterval(() => void look(), LOOK_INTERVAL_MS).unref();
  void look();
  return () => {
    isEnded = true;
    clearInterval(timer);
  };
}
