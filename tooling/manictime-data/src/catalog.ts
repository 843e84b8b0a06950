import type { Random } from './random.ts';

/** Something that activities belong to. */
export interface Thing {
  readonly id: number;
  readonly name: string;
  readonly key: string;
  /** Hexadecimal, without `#`. */
  readonly color: string;
  readonly type: 'application' | 'ManicTime/WebSites' | 'ManicTime/Files' | 'ManicTime/Chat';
}

export interface Catalog {
  readonly applications: readonly Thing[];
  readonly sites: readonly Thing[];
  readonly files: readonly Thing[];
  readonly chats: readonly Thing[];
}

const KNOWN = [
  ['Google Chrome', 'chrome.exe'],
  ['Visual Studio Code', 'code.exe'],
  ['Outlook', 'outlook.exe'],
  ['Teams', 'ms-teams.exe'],
  ['Windows Terminal', 'windowsterminal.exe'],
  ['Excel', 'excel.exe'],
  ['File Explorer', 'explorer.exe'],
  ['Mozilla Firefox', 'firefox.exe'],
  ['Word', 'winword.exe'],
  ['Slack', 'slack.exe'],
  ['Figma', 'figma.exe'],
  ['KeePass', 'keepass.exe'],
] as const;
const KNOWN_SITES = [
  'github.com',
  'docs.example.org',
  'mail.example.com',
  'news.example.net',
  'wiki.example.org',
  'bank.example.com',
];

export const BROWSERS: ReadonlySet<string> = new Set(['Google Chrome', 'Mozilla Firefox']);

export const CHATS: ReadonlySet<string> = new Set(['Teams', 'Slack']);

export function makeCatalog(applications: number, sites: number, random: Random): Catalog {
  let id = 0;
  const make = (count: number, type: Thing['type'], nameOf: (index: number) => readonly [string, string]) =>
    Array.from({ length: count }, (_, index): Thing => {
      id += 1;
      const [name, key] = nameOf(index);
      return { id, name, key, color: random.between(0, 0xffffff).toString(16).padStart(6, '0'), type };
    });
  return {
    applications: make(applications, 'application', (index) => {
      const [name, file] = KNOWN[index] ?? [`Application ${index}`, `app${index}.exe`];
      return [name, `${file};${name.toLowerCase()}`];
    }),
    sites: make(sites, 'ManicTime/WebSites', (index) => {
      const site = KNOWN_SITES[index] ?? `site${index}.example`;
      return [site, site];
    }),
    files: make(60, 'ManicTime/Files', (index) => [`report ${index}.docx`, `report ${index}.docx`]),
    chats: make(8, 'ManicTime/Chat', (index) => [`Team ${index}`, `team ${index}`]),
  };
}
