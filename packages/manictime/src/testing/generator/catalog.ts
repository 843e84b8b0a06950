/** An application, website, file or chat that activities belong to. */
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

const KNOWN = words(`
  Google Chrome: chrome.exe, Visual Studio Code: code.exe, Outlook: outlook.exe, Teams: ms-teams.exe,
  Windows Terminal: windowsterminal.exe, Excel: excel.exe, File Explorer: explorer.exe, Mozilla Firefox:
  firefox.exe, Word: winword.exe, Slack: slack.exe, Figma: figma.exe, KeePass: keepass.exe, PowerPoint:
  powerpnt.exe, OneNote: onenote.exe, Acrobat Reader: acrobat.exe, Notepad++: notepad++.exe, Postman:
  postman.exe, DBeaver: dbeaver.exe, Zoom: zoom.exe, Spotify: spotify.exe, GitHub Desktop:
  githubdesktop.exe, Docker Desktop: docker desktop.exe, Inkscape: inkscape.exe, GIMP: gimp.exe, Obsidian:
  obsidian.exe, Power BI: pbidesktop.exe, FileZilla: filezilla.exe, PuTTY: putty.exe, 7-Zip: 7zfm.exe, VLC
  media player: vlc.exe, Paint: mspaint.exe, Task Manager: taskmgr.exe, Settings: systemsettings.exe,
  Calculator: calculatorapp.exe, Snipping Tool: snippingtool.exe, Thunderbird: thunderbird.exe`).map((text) =>
  text.split(': '),
);

const KNOWN_SITES = words(`
  github.com, docs.example.org, mail.example.com, news.example.net, wiki.example.org, bank.example.com`);

const KNOWN_FILES = words(`
  Project plan.docx, Budget 2026.xlsx, Offer 2026-041.docx, Requirements.docx, Minutes of Monday.docx,
  Architecture.pptx, Time sheet.xlsx, Contract.pdf, Release notes.md, Test report.docx, Invoice 1187.pdf,
  Roadmap.pptx`);

function words(list: string): string[] {
  return list.split(',').map((word) => word.trim().replaceAll(/\s+/g, ' '));
}

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
      return [name ?? '', `${file};${name?.toLowerCase()}`];
    }),
    sites: make(sites, 'ManicTime/WebSites', (index) => {
      const site = KNOWN_SITES[index] ?? `site${index}.example`;
      return [site, site];
    }),
    files: make(60, 'ManicTime/Files', (index) => {
      const file = KNOWN_FILES[index] ?? `report ${index}.docx`;
      return [file, file.toLowerCase()];
    }),
    chats: make(8, 'ManicTime/Chat', (index) => [`Team ${index}`, `team ${index}`]),
  };
}

/** Pseudo-random numbers. The same seed gives the same numbers on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** An integer in [from, to]. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** An index below `count`; lower ones are more frequent. */
  popular(count: number): number {
    return Math.min(Math.floor(count ** this.next() - 1 + this.next()), count - 1);
  }

  logNormal(median: number, sigma: number): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    return median * Math.exp(sigma * radius * Math.cos(2 * Math.PI * this.next()));
  }
}
