import { getOrAdd } from '@deskside/core/base';
import { quoted } from '@deskside/core/text';
import type { Activity, Group } from '../database/model/activity.ts';
import { fold } from './fold.ts';

/** Kinds of programs, in the order of the picture. `other` has no color. */
export const CATEGORIES = ['code', 'office', 'mail', 'chat', 'web', 'media', 'system', 'other'] as const;
export type Category = (typeof CATEGORIES)[number];

/** Words in the name of a program, or its executable, separated by commas. */
const PROGRAMS: Readonly<Record<Exclude<Category, 'other'>, readonly string[]>> = {
  code: words(`
    visual studio, code.exe, vscode, cursor, intellij, idea64, pycharm, webstorm, rider, goland,
    clion, eclipse, android studio, xcode, sublime, notepad++, vim, emacs, terminal, powershell,
    cmd.exe, command prompt, git, github, gitkraken, docker, postman, dbeaver, datagrip, ssms, sql
    server, pgadmin, putty, wireshark, unity`),
  office: words(`
    word, excel, powerpoint, onenote, access, visio, project.exe, winproj, libreoffice, soffice,
    acrobat, pdf, notion, obsidian, evernote, notepad, textedit, pages, numbers, keynote, manictime,
    sap, autocad, figma, photoshop, illustrator, indesign, gimp, inkscape, blender, miro`),
  mail: words(`
    outlook, thunderbird, mail, calendar, postbox, em client`),
  chat: words(`
    teams, slack, zoom, discord, skype, webex, telegram, signal, whatsapp, mattermost, element, meet`),
  web: words(`
    chrome, firefox, edge, safari, opera, brave, vivaldi, arc.exe, browser, iexplore`),
  media: words(`
    spotify, vlc, media player, youtube, netflix, itunes, music, steam, photos, obs`),
  system: words(`
    explorer, finder, settings, task manager, keepass, bitwarden, 1password, total commander, remote
    desktop, mstsc, calculator, snipping, lockapp, installer, 7-zip`),
};

function words(list: string): string[] {
  return list.split(',').map((word) => word.trim().replaceAll(/\s+/g, ' '));
}

/** What kind of program a window belongs to. */
export type Categorizer = (activity: Activity) => Category;

/**
 * The kind that the person gives a program, its executable or its folder in ManicTime; else the kind that has the name of
 * the folder; else by the name of the program or its executable.
 *
 * @param corrections `NAME=KIND`
 */
export function categorizer(corrections: readonly string[] = []): Categorizer {
  const given = new Map(corrections.flatMap((text) => correctionOf(text) ?? []));
  // Groups are the same object in all rows of a read.
  const known = new WeakMap<Group, Category>();
  const categoryOf = ({ name, commonName, key = '', folder = '' }: Group) => {
    const label = commonName ?? name ?? '';
    const corrected = [label, ...key.split(';'), folder].map((text) => given.get(fold(text)));
    const found = corrected.find((kind) => kind !== undefined) ?? kindNamed(folder);
    return found ?? namedCategory(`${label}\n${key}`);
  };
  return ({ group }) => (group === undefined ? 'other' : getOrAdd(known, group, () => categoryOf(group)));
}

function kindNamed(text: string): Category | undefined {
  return CATEGORIES.find((category) => category === fold(text));
}

function correctionOf(text: string): readonly [readonly [name: string, kind: Category]] | undefined {
  const [, name = '', kind = ''] = /^(.*[^\s=])\s*=([^=]*)$/s.exec(text) ?? [];
  const category = kindNamed(kind);
  return name === '' || category === undefined ? undefined : [[fold(name), category]];
}

/** Why a correction is invalid, in one line; undefined if it is valid. */
export function correctionProblem(text: string): string | undefined {
  return correctionOf(text) === undefined
    ? `${quoted(text)} is not NAME=KIND with one of the kinds ${CATEGORIES.join(', ')}`
    : undefined;
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
