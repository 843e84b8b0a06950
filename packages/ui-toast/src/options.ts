import { defineOptions } from '@deskside/core/cli';

/** The server has only the common options. */
export const uiToastOptions = defineOptions('UI_TOAST', {}, { httpPort: 3338 });
