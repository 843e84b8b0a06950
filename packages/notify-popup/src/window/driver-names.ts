/** What can show the popup's window, best first. */
export const DRIVER_NAMES = ['chromium', 'webkit-gjs', 'webkit-jxa', 'firefox'] as const;

export type DriverName = (typeof DRIVER_NAMES)[number];

/** Whether a browser is kept for the next popup: none, or for a while after each. */
export const PREWARM = ['off', 'after-first'] as const;
export type Prewarm = (typeof PREWARM)[number];
