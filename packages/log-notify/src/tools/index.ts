import type { Tool } from '@deskside/core';
import type { LogNotify } from '../log-notify.ts';
import { notify } from './notify.ts';

export const logNotifyTools: readonly Tool<LogNotify>[] = [notify];
