import { defineOptions } from '@deskside/core';

/** None beyond the common ones. */
export const uiToastOptions = defineOptions('UI_TOAST', {});
