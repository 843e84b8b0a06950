import type { Resource, ResourceTemplate } from '@deskside/core';
import { dayView } from '../tools/day-view.ts';
import type { ManicTime } from '../manictime.ts';
import { guide } from './guide.ts';
import { config, dataRange, environment, health, timelines } from './json-resources.ts';
import { fullScreenshot, screenshot } from './screenshots.ts';

export const manictimeResources: readonly Resource<ManicTime>[] = [
  config,
  timelines,
  health,
  guide,
  environment,
  dataRange,
  dayView,
];

export const manictimeTemplates: readonly ResourceTemplate<ManicTime>[] = [screenshot, fullScreenshot];
