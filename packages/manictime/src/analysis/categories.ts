import { getOrAdd } from '@deskside/core/base';
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

/** Groups are the same object in all rows of a read. */
const known = new WeakMap<Group, Category>();

/**
 * What kind of program a window belongs to: the kind with the name of its folder in ManicTime, with which a person corrects it;
 * else by the name of the program or its executable.
 */
export function categoryOf({ group }: Activity): Category {
  if (group === undefined) return 'other';
  return getOrAdd(known, group, () => {
    const folder = fold(group.folder ?? '');
    const named = CATEGORIES.find((category) => category === folder);
    return named ?? namedCategory([group.commonName ?? group.name ?? '', group.key ?? ''].join('\n'));
  });
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
