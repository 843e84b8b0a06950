/** Older results are dropped. */
const MAX_SHOWN_RESULTS = 500;
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
const STORAGE_KEY = 'deskside-shown';

/** A notification that a tool returned. */
export interface ToolResult {
  readonly id: string;
  readonly timestamp?: string;
}

export interface ToolResultEvents<Result> {
  /** Shows the result, or updates the toast with its id. */
  readonly onShow: (result: Result) => void;
  /** Records a result that another tab shows, or that this tab shows when it becomes visible. */
  readonly onRecord?: (result: Result) => void;
  /** Whether a toast with this id is shown here: it is updated in a hidden tab too. */
  readonly isShown?: (id: string) => boolean;
}

/** Of a result: its timestamp and when it was shown, both in milliseconds. The names are stored: the build keeps them. */
interface ShownResult {
  readonly at: number;
  readonly shownAt: number;
}

/**
 * Decides which results of tools this tab shows. Each is shown once, in a visible tab, and recorded in every tab. A stream
 * that is replayed shows nothing twice, also after a reload.
 */
export class ToolResults<Result extends ToolResult> {
  readonly #events: ToolResultEvents<Result>;
  /** When the page was loaded: what was shown before is a replay. */
  readonly #loadedAt = Date.now();
  /** Timestamps of the results of this tab, by id. */
  readonly #known = new Map<string, number>();
  /** What no tab has shown yet, by id. */
  readonly #waiting = new Map<string, Result>();

  constructor(events: ToolResultEvents<Result>) {
    this.#events = events;
  }

  add(result: Result): void {
    const { id } = result;
    const at = timeOf(result);
    if ((this.#known.get(id) ?? -1) >= at) return;
    this.#known.set(id, at);
    const shown = findShown(result);
    if (shown && shown.shownAt < this.#loadedAt) return;
    const { onShow, onRecord, isShown } = this.#events;
    if (!shown && !document.hidden) return this.#show(result);
    if (!shown) this.#waiting.set(id, result);
    // A toast that is here changes in every tab: else its spinner would never end.
    if (isShown?.(id)) onShow(result);
    else onRecord?.(result);
  }

  /** Call it when the tab becomes visible. */
  showWaiting(): void {
    for (const result of this.#waiting.values()) if (!findShown(result)) this.#show(result);
    this.#waiting.clear();
  }

  #show(result: Result): void {
    const { id } = result;
    this.#waiting.delete(id);
    const shown = readShown();
    shown.delete(id);
    shown.set(id, { at: timeOf(result), shownAt: Date.now() });
    try {
      localStorage.setItem(STORAGE_KEY, JSON.stringify([...shown].slice(-MAX_SHOWN_RESULTS)));
    } catch {
      // A sandboxed frame has no storage, and a storage can be full: what is known lasts until the next reload.
    }
    this.#events.onShow(result);
  }
}

function timeOf({ timestamp = '' }: ToolResult): number {
  return Date.parse(timestamp) || 0;
}

/** The entry of this result, or of a newer one with its id, from the last days. */
function findShown(result: ToolResult): ShownResult | undefined {
  const shown = readShown().get(result.id);
  return shown && shown.at >= timeOf(result) && Date.now() - shown.shownAt < MAX_AGE_MS ? shown : undefined;
}

/** What any tab has shown, by id. */
function readShown(): Map<string, ShownResult> {
  try {
    return new Map(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]'));
  } catch {
    return new Map();
  }
}
