import { defineOptions, type OptionsOf } from '@deskside/core/program';
import * as z from 'zod';

export const uiToastOptions = defineOptions(
  'UI_TOAST',
  {
    toaster: z.boolean().default(false).meta({
      description:
        'The chat page shows toasts: answers then have no note that the client may not show them. For pages with <deskside-toaster> whose MCP client does not declare io.github.deskside/toaster.',
    }),
    history: z.boolean().default(true).meta({ description: 'Store the texts of notifications.' }),
  },
  { httpPort: 3338 },
);

/** What a program passes to `openUiToast`: `uiToastOptions` has the descriptions and the defaults. */
export type UiToastOptions = Partial<OptionsOf<typeof uiToastOptions>>;
