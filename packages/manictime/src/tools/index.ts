import type { Tool } from '@deskside/core';
import type { ManicTime } from '../manictime.ts';
import { renderDay } from './day-view.ts';
import { getActivityNarrative, getDailySummary } from './narrative.ts';
import { getPeriodSummary } from './period-summary.ts';
import { saveScreenshot } from './save-screenshot.ts';
import { searchActivities } from './search.ts';
import { cropScreenshot, getScreenshot, listScreenshots } from './screenshots.ts';
import { sumTime } from './sum-time.ts';
import { getActivities, getComputerUsage, getTags, getTimelines } from './timelines.ts';
import { getApplicationUsage, getDocumentUsage, getWebsiteUsage } from './usage.ts';

/** In the order of the contract; what it does not have comes after it. */
export const manictimeTools: readonly Tool<ManicTime>[] = [
  getTimelines,
  getActivities,
  getComputerUsage,
  getTags,
  getApplicationUsage,
  getDocumentUsage,
  getDailySummary,
  getActivityNarrative,
  getPeriodSummary,
  getWebsiteUsage,
  listScreenshots,
  getScreenshot,
  cropScreenshot,
  saveScreenshot,
  searchActivities,
  sumTime,
  renderDay,
];
