import { toolDefiner } from '@deskside/core';
import type { LogNotify } from '../log-notify.ts';

/** Defines a tool of this server. */
export const defineTool = toolDefiner<LogNotify>();
