import type { Tool } from '@deskside/core';
import type { UiToast } from '../ui-toast.ts';
import { showNotification } from './show-notification.ts';

export const uiToastTools: readonly Tool<UiToast>[] = [showNotification];
