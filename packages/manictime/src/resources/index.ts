import type { Resource, ResourceTemplate } from '@deskside/core';
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
];

export const manictimeTemplates: readonly ResourceTemplate<ManicTime>[] = [screenshot, fullScreenshot];
