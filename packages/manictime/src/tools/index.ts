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

export const manictimeTools: readonly Tool<ManicTime>[] = [
  cropScreenshot,
  getActivities,
  getActivityNarrative,
  getApplicationUsage,
  getComputerUsage,
  getDailySummary,
  getDocumentUsage,
  getPeriodSummary,
  getScreenshot,
  getTags,
  getTimelines,
  getWebsiteUsage,
  listScreenshots,
  renderDay,
  saveScreenshot,
  searchActivities,
  sumTime,
];
