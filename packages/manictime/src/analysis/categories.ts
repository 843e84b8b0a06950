import type { Activity } from '../database/model/activity.ts';
import { labelOf } from '../database/model/activity.ts';
import { fold } from './fold.ts';

/** Kinds of programs, in the order of the picture. `other` has no color. */
export const CATEGORIES = ['code', 'office', 'mail', 'chat', 'web', 'media', 'system', 'other'] as const;
export type Category = (typeof CATEGORIES)[number];

/** Words in the name of a program, or its executable. */
const PROGRAMS: Readonly<Record<Exclude<Category, 'other'>, readonly string[]>> = {
  code: [
    'visual studio',
    'code.exe',
    'vscode',
    'cursor',
    'intellij',
    'idea64',
    'pycharm',
    'webstorm',
    'rider',
    'goland',
    'clion',
    'eclipse',
    'android studio',
    'xcode',
    'sublime',
    'notepad++',
    'vim',
    'emacs',
    'terminal',
    'powershell',
    'cmd.exe',
    'command prompt',
    'git',
    'github',
    'gitkraken',
    'docker',
    'postman',
    'dbeaver',
    'datagrip',
    'ssms',
    'sql server',
    'pgadmin',
    'putty',
    'wireshark',
    'unity',
  ],
  office: [
    'word',
    'excel',
    'powerpoint',
    'onenote',
    'access',
    'visio',
    'project.exe',
    'winproj',
    'libreoffice',
    'soffice',
    'acrobat',
    'pdf',
    'notion',
    'obsidian',
    'evernote',
    'notepad',
    'textedit',
    'pages',
    'numbers',
    'keynote',
    'manictime',
    'sap',
    'autocad',
    'figma',
    'photoshop',
    'illustrator',
    'indesign',
    'gimp',
    'inkscape',
    'blender',
    'miro',
  ],
  mail: ['outlook', 'thunderbird', 'mail', 'calendar', 'postbox', 'em client'],
  chat: [
    'teams',
    'slack',
    'zoom',
    'discord',
    'skype',
    'webex',
    'telegram',
    'signal',
    'whatsapp',
    'mattermost',
    'element',
    'meet',
  ],
  web: ['chrome', 'firefox', 'edge', 'safari', 'opera', 'brave', 'vivaldi', 'arc.exe', 'browser', 'iexplore'],
  media: [
    'spotify',
    'vlc',
    'media player',
    'youtube',
    'netflix',
    'itunes',
    'music',
    'steam',
    'photos',
    'obs',
  ],
  system: [
    'explorer',
    'finder',
    'settings',
    'task manager',
    'keepass',
    'bitwarden',
    '1password',
    'total commander',
    'remote desktop',
    'mstsc',
    'calculator',
    'snipping',
    'lockapp',
    'installer',
    '7-zip',
  ],
};

const known = new Map<string, Category>();
const MAX_KNOWN = 5000;

/** What kind of program a window belongs to: by the name of its program, else by its executable. */
export function categoryOf(activity: Activity): Category {
  if (activity.group === undefined) return 'other';
  const name = `${labelOf(activity) ?? ''}\n${activity.group.key ?? ''}`;
  const found = known.get(name);
  if (found !== undefined) return found;
  const category = namedCategory(name);
  if (known.size === MAX_KNOWN) known.clear();
  known.set(name, category);
  return category;
}

function namedCategory(name: string): Category {
  const text = ` ${fold(name)} `;
  for (const category of CATEGORIES) {
    if (category === 'other') break;
    // A word of a name, not a part of one: "access" is not in "accessory".
    if (PROGRAMS[category].some((word) => new RegExp(`[^a-z0-9]${escaped(word)}[^a-z]`).test(text)))
      return category;
  }
  return 'other';
}

function escaped(word: string): string {
  return word.replaceAll(/[.+]/g, String.raw`\$&`);
}
