/** What can show the popup's window, best first. */
export const DRIVER_NAMES = ['chromium', 'webkit-gjs', 'webkit-jxa', 'firefox'] as const;

export type DriverName = (typeof DRIVER_NAMES)[number];
