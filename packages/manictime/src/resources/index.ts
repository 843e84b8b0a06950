import type { Resource, ResourceTemplate } from '@deskside/core';
import type { ManicTime } from '../manictime.ts';
import { config } from './config.ts';
import { dataRange } from './data-range.ts';
import { environment } from './environment.ts';
import { guide } from './guide.ts';
import { health } from './health.ts';
import { fullScreenshot, screenshot } from './screenshot.ts';
import { timelines } from './timelines.ts';

export const manictimeResources: readonly Resource<ManicTime>[] = [
  config,
  timelines,
  health,
  guide,
  environment,
  dataRange,
];

export const manictimeTemplates: readonly ResourceTemplate<ManicTime>[] = [screenshot, fullScreenshot];
