import type { Prompt } from '@deskside/core';
import type { LogNotify } from '../log-notify.ts';
import { refactoring } from './refactoring.ts';
import { workflow } from './workflow.ts';

export const logNotifyPrompts: readonly Prompt<LogNotify>[] = [refactoring, workflow];
