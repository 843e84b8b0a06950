import { choiceField, defineOptions } from '@deskside/core/cli';
import * as z from 'zod';
import type { Theme } from './service/presenter.ts';
import { DRIVER_NAMES, type DriverName } from './window/driver.ts';

const limitError = 'use an integer from 0 to 50';

export const popupOptions = defineOptions(
  'NOTIFY_POPUP',
  {
    presenter: choiceField(['auto', ...DRIVER_NAMES])
      .default('auto')
      .meta({
        placeholder: 'NAME',
        description: `Program that shows the window. auto uses the first one available: ${DRIVER_NAMES.join(', ')}.`,
      }),
    browser: z.string().min(1).optional().meta({
      placeholder: 'FILE',
      description: 'Path of the browser. Set it if the browser is not found, or to use another one.',
    }),
    historyDir: z.string().min(1).optional().meta({
      placeholder: 'FOLDER',
      defaultText:
        '~/.voicemode/logs/conversations if it exists, else popup-history in the data folder of Deskside',
      description: 'Folder for the conversation history.',
    }),
    historyLimit: z.coerce
      .number({ error: limitError })
      .int({ error: limitError })
      .min(0, { error: limitError })
      .max(50, { error: limitError })
      .default(5)
      .meta({
        placeholder: 'COUNT',
        description: 'Number of earlier exchanges that a popup shows, 0 to 50.',
      }),
    history: z.boolean().default(true).meta({
      description: 'Store conversations and unsent text on disk. If it is off, neither is stored.',
    }),
    elicitation: z.boolean().default(true).meta({
      description:
        'Without a display, ask through MCP elicitation if the client supports it. If it is off, the call fails.',
    }),
    theme: choiceField(['auto', 'light', 'dark']).default('auto').meta({
      placeholder: 'NAME',
      description: 'Colors of popups whose call asks for no theme: auto (as the desktop), light or dark.',
    }),
    plain: z
      .boolean()
      .default(false)
      .meta({ description: 'Show messages as plain text instead of Markdown.' }),
  },
  { httpPort: 3336 },
);

export interface PopupOptions {
  /** Default `auto`. */
  readonly presenter?: 'auto' | DriverName;
  /** Path of the browser. Default: the first one found. */
  readonly browser?: string | undefined;
  /** Default: VoiceMode's folder if it exists, else a folder of Deskside. */
  readonly historyDir?: string | undefined;
  /** Number of earlier exchanges that a popup shows. Default 5. */
  readonly historyLimit?: number;
  /** Default true. False stores neither conversations nor unsent text on disk. */
  readonly history?: boolean;
  /** Default true: without a display, ask through the client. */
  readonly elicitation?: boolean;
  /** For popups whose call asks for no theme. Default `auto`: as the desktop. */
  readonly theme?: Theme;
  /** Default false: messages are Markdown. */
  readonly plain?: boolean;
  /** Time between two progress notifications. Default 15,000. */
  readonly progressIntervalMs?: number;
}
