/** A popup that waits for its turn on the desktop. */
export interface DeskItem {
  readonly id: string;
  /** The process that can show it. */
  readonly process: string;
  readonly kind: 'question' | 'news';
  readonly caller: string;
  /** ISO 8601, in UTC. */
  readonly since: string;
  readonly firstLine: string;
  /** Milliseconds of the wall clock. Items are shown in this order, questions before news. */
  readonly place: number;
}

/** The screen of one user. One process at a time may show a popup on it. */
export interface Desk extends AsyncDisposable {
  /** The name of this process in `DeskItem`. */
  readonly process: string;
  /** True while this process may show a popup. */
  readonly isOurs: boolean;
  /** True while another process has the desk. */
  readonly isWaiting: boolean;
  /** The known waiting items of all processes, in the order in which they are shown. */
  readonly items: readonly DeskItem[];
  /** Called after each change of `isOurs` and `items`. */
  onChange: () => void;
  /** Replaces what waits in this process. The first item makes this process wait for the desk. */
  offer(items: readonly DeskItem[]): void;
  /** Gives the desk to the process of the first item, if that is another one. Without items the desk is free. */
  pass(): void;
}

export function inOrder(items: readonly DeskItem[]): DeskItem[] {
  return items.toSorted(
    (a, b) =>
      Number(a.kind === 'news') - Number(b.kind === 'news') || a.place - b.place || (a.id < b.id ? -1 : 1),
  );
}
