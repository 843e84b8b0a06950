import { choiceField, defineOptions, integerField, type OptionsOf } from '@deskside/core/program';
import * as z from 'zod';
import { DRIVER_NAMES } from './window/driver.ts';

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
    historyLimit: integerField(0, 50).default(5).meta({
      placeholder: 'COUNT',
      description: 'Number of earlier exchanges that a popup shows, 0 to 50.',
    }),
    history: z.boolean().default(true).meta({
      description: 'Store conversations and unsent text on disk. If it is off, neither is stored.',
    }),
    elicitation: z.boolean().default(true).meta({
      description:
        'Ask with a form of the client (MCP elicitation), too: without a display, and beside the window shortly before the client would end the call.',
    }),
    theme: choiceField(['auto', 'light', 'dark']).default('auto').meta({
      placeholder: 'NAME',
      description: 'Colors of popups whose call asks for no theme: auto (as the desktop), light or dark.',
    }),
    sound: choiceField(['off', 'question', 'all']).default('off').meta({
      placeholder: 'NAME',
      description:
        'Sound when a window appears: question (questions and approvals), all (news, too) or off (only if the call asks for one). "Not now" and the quiet hours of log-notify mute it.',
    }),
    plain: z
      .boolean()
      .default(false)
      .meta({ description: 'Show messages as plain text instead of Markdown.' }),
  },
  { httpPort: 3336 },
);

/** What a program passes to `openPopup`: `popupOptions` has the descriptions and the defaults. */
export type PopupOptions = Partial<OptionsOf<typeof popupOptions>>;
