export type Theme = 'auto' | 'light' | 'dark';

/** What is put before the person. */
export interface Question {
  readonly message: string;
  readonly title: string;
  /** False for a message that wants no answer. */
  readonly waitsForResponse: boolean;
  /** Seconds, counted from the moment the popup is on the screen. */
  readonly timeout?: number;
  readonly theme: Theme;
  readonly showsHistory: boolean;
  readonly chimes: boolean;
  /** What the client says it is; never proof of anything. */
  readonly client?: string;
}
