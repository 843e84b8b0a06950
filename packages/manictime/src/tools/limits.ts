/** Caps of the contract, and of what it leaves open. */
export const ROW_DEFAULT = 200;
export const ROW_CAP = 5000;
export const USAGE_DEFAULT = 1000;
export const USAGE_CAP = 2000;
export const SEGMENT_DEFAULT = 200;
export const SEGMENT_CAP = 2000;
export const TOP_CAP = 50;
export const WEBSITE_DEFAULT = 50;
export const WEBSITE_CAP = 200;
export const SCREENSHOT_DEFAULT = 20;
export const SCREENSHOT_CAP = 100;
export const TIMELINE_CAP = 200;
/** Days of the summaries. */
export const SUMMARY_DAYS = 31;
/** Days of everything that reads single activities or screenshots. */
export const RANGE_DAYS = 366;
