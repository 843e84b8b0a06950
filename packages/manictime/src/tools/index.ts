import type { Tool } from '@deskside/core';
import type { ManicTime } from '../manictime.ts';
import { cropScreenshot } from './crop-screenshot.ts';
import { getActivities } from './get-activities.ts';
import { getActivityNarrative } from './get-activity-narrative.ts';
import { getApplicationUsage } from './get-application-usage.ts';
import { getComputerUsage } from './get-computer-usage.ts';
import { getDailySummary } from './get-daily-summary.ts';
import { getDocumentUsage } from './get-document-usage.ts';
import { getPeriodSummary } from './get-period-summary.ts';
import { getScreenshot } from './get-screenshot.ts';
import { getTags } from './get-tags.ts';
import { getTimelines } from './get-timelines.ts';
import { getWebsiteUsage } from './get-website-usage.ts';
import { listScreenshots } from './list-screenshots.ts';
import { saveScreenshot } from './save-screenshot.ts';

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
  saveScreenshot,
];
