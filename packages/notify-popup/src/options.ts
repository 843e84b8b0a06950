import { choiceField, defineOptions } from '@deskside/core';
import { z } from 'zod';
import { DRIVER_NAMES, type DriverName, PREWARM, type Prewarm } from './window/driver-names.ts';

const limitError = 'use a whole number from 0 to 50';

export const popupOptions = defineOptions('NOTIFY_POPUP', {
  presenter: choiceField(['auto', ...DRIVER_NAMES])
    .default('auto')
    .meta({
      placeholder: 'NAME',
      description: `What shows the window: auto takes the first that this machine has of ${DRIVER_NAMES.join(', ')}.`,
    }),
  browser: z.string().min(1).optional().meta({
    placeholder: 'FILE',
    description: 'The browser to use, where it is not found by itself or another one is wanted.',
  }),
  prewarm: choiceField(PREWARM).default('off').meta({
    placeholder: 'WHEN',
    description:
      'after-first keeps a browser without a window, of 270 MB, for a minute after each popup, so that the next one is there in half the time (Linux and macOS). Default: off.',
  }),
  historyDir: z.string().min(1).optional().meta({
    placeholder: 'FOLDER',
    description:
      "Where conversations are kept. Default: VoiceMode's own folder where there is one, else popup-history in the platform's folder for user data.",
  }),
  historyLimit: z.coerce
    .number({ error: limitError })
    .int({ error: limitError })
    .min(0, { error: limitError })
    .max(50, { error: limitError })
    .default(5)
    .meta({ placeholder: 'COUNT', description: 'How many earlier exchanges a popup shows.' }),
  history: z
    .boolean()
    .default(true)
    .meta({ description: 'Keep conversations and drafts on disk. --no-history keeps nothing.' }),
  elicitation: z.boolean().default(true).meta({
    description: 'Where there is no display, ask in the client if it can. --no-elicitation answers an error.',
  }),
  plain: z.boolean().default(false).meta({ description: 'Show messages as plain text instead of Markdown.' }),
});

export interface PopupOptions {
  /** Default `auto`. */
  readonly presenter?: 'auto' | DriverName;
  /** Path of the browser to use. */
  readonly browser?: string | undefined;
  /** Default `off`. */
  readonly prewarm?: Prewarm;
  readonly historyDir?: string | undefined;
  /** Exchanges a popup shows. Default 5. */
  readonly historyLimit?: number;
  /** Default true; false keeps neither conversations nor drafts on disk. */
  readonly history?: boolean;
  /** Default true: the client asks where there is no display. */
  readonly elicitation?: boolean;
  /** Default false: messages are Markdown. */
  readonly plain?: boolean;
  /** Milliseconds between progress notifications. Default 15,000. */
  readonly progressInterval?: number;
}
