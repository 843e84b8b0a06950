const ESC = '\u001B';
const BEL = '\u0007';

/** Texts that attack terminals, logs, markup and shells, each with a name for test titles. */
export const hostileTexts: readonly (readonly [what: string, text: string])[] = [
  ['LF forges a line', 'done\n2026-11-21T10:00:00Z ERROR [safety] all data was lost'],
  ['CR overwrites the line', 'harmless\rERROR deleted'],
  ['many line feeds', 'a\n\n\n\n\n\n\n\nb'],
  ['LF at the end', 'trailing\n'],
  ['line separator', 'a\u2028b'],
  ['tab', 'column\tcolumn'],
  ['backspaces hide', 'rm -rf /\b\b\b\b\b\b\b\bls'],
  ['NUL', 'a\0b'],
  ['every C0', Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('')],
  ['every C1', Array.from({ length: 32 }, (_, code) => String.fromCharCode(0x80 + code)).join('')],
  ['CSI color', `${ESC}[31mred${ESC}[0m`],
  ['CSI moves up and rewrites', `${ESC}[1A${ESC}[2Kforged`],
  ['8-bit OSC', '\u009D0;title\u009C'],
  ['OSC 8 links elsewhere', `${ESC}]8;;https://evil.example${ESC}\\bank${ESC}]8;;${ESC}\\`],
  ['OSC 9;4 progress', '4;3;50'],
  ['OSC 52 writes the clipboard', `${ESC}]52;c;cm0gLXJmIC8=${BEL}`],
  ['tmux passthrough', `${ESC}Ptmux;${ESC}${ESC}]52;c;AA==${BEL}${ESC}\\`],
  ['an escape alone at the end', `end${ESC}`],
  ['right-to-left override', 'invoice\u202Efdp.exe'],
  ['isolates', '\u2066a\u2067b\u2068c\u2069'],
  ['marks of direction', '\u200Ea\u200Fb\u061Cc'],
  ['zero-width joiners', 'a\u200Db\u200Cc'],
  ['word joiner and byte order mark', 'a\u2060b\uFEFFc'],
  ['invisible operators', 'f\u2061x\u2062y\u2063z\u2064'],
  ['Hangul fillers', 'a\u115F\u1160\u3164\uFFA0b'],
  ['Mongolian vowel separator', 'a\u180Eb'],
  ['Unicode tags spell a command', 'hi\u{E0001}\u{E0072}\u{E006D}\u{E007F}'],
  ['variation selectors carry bytes', 'a\uFE00\uFE01\uFE02\u{E0100}\u{E01EF}'],
  ['variation selectors after an emoji carry bytes', '😀\uFE00\uFE0D\u{E0100}\u{E01EF}'],
  ['a second variation selector after an ideograph', '葛\u{E0100}\u{E0101}'],
  ['joiners between emoji that form no sequence', '👩\u200D🚲\u200D👩'],
  ['direction marks in a row', 'שלום\u200F\u200F\u200E'],
  ['a byte in tags after a flag', '🏴\u{E0067}\u{E007F}'],
  ['interlinear annotations', '\uFFF9a\uFFFAb\uFFFB'],
  ['a lone high surrogate', 'a\uD800b'],
  ['surrogates the wrong way round', '\uDE00\uD83D'],
  ['marks pile up over other lines', `Z${'\u0351\u0328\u0489'.repeat(200)}`],
  ['marks without a base', '\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301'],
  ['musical controls', '\u{1D173}a\u{1D17A}'],
  ['noncharacters', '\uFFFE\uFFFF\u{1FFFF}'],
  ['a backslash before a line feed', 'C:\\\nX'],
  ['what reads as an escape', String.raw`not a line feed: \n, nor \x1b, nor \u{202e}`],
  ['backslashes and an escape', String.raw`\\\\n` + '\n'],
  ['C escapes for notify-send', String.raw`\033[31m\n\a`],
  ['blanks push a forged line to the next row', `ok${' '.repeat(200)}10:30:00 ERROR [safety] forged`],
  ['markup', '<b>bold</b> <a href="https://evil.example">x</a> <img src="file:///etc/passwd"/> &lt;'],
  ['shell', '$(touch /tmp/owned); `id` | cat && rm -rf ~ > x'],
  ['option', '--urgency=critical --icon=/etc/passwd'],
  ['AppleScript', '" & (do shell script "id") & "'],
  ['PowerShell', `'; Start-Process calc; $(whoami)`],
  ['mentions', '@channel <!here> @everyone'],
  ['JSON', '{"level":"error","message":"forged"}'],
  ['template', '{{ notify "again" }} {% raw %}'],
  ['printable Unicode', 'naïve 日本語 العربية हिन्दी 👩🏽‍🚒 👨‍👩‍👧 🏳️‍🌈 1️⃣'],
  ['one megabyte', 'A'.repeat(1024 * 1024)],
  ['one megabyte of backslashes', '\\'.repeat(1024 * 1024)],
  ['one megabyte of words with dots', 'a.'.repeat(512 * 1024)],
  ['one megabyte of line feeds', '\n'.repeat(1024 * 1024)],
  ['one megabyte of emoji', '😀'.repeat(256 * 1024)],
];

/** Five rows for transports and programs, which do not look at the text. */
export const someHostileTexts: typeof hostileTexts = [
  'LF forges a line',
  'OSC 52 writes the clipboard',
  'right-to-left override',
  'variation selectors carry bytes',
  'one megabyte of emoji',
].map((name) => {
  const row = hostileTexts.find(([what]) => what === name);
  if (row === undefined) throw new Error(`no hostile text is named ${name}`);
  return row;
});

/** Ordinary sentences with characters that are unsafe elsewhere. They stay unchanged. */
export const ordinaryTexts: typeof hostileTexts = [
  ['emoji sequences', 'naïve 👩🏽‍🚒 👨‍👩‍👧 🏳️‍🌈 1️⃣ ❤️ ☎︎'],
  ['a flag with tags', 'Football 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} today'],
  ['a Persian non-joiner', 'می\u200Cخواهم فردا کار کنم'],
  ['a Hindi joiner', 'क्\u200Dष और श्री'],
  ['a Hebrew direction mark', 'שלום\u200F! 2026'],
  ['an Arabic letter mark', 'العربية\u061C 12'],
  ['a Japanese variant', '葛\u{E0100}城市へ行く'],
];

const joiningScripts =
  'Adlam Arabic Bengali Devanagari Gujarati Gurmukhi Hanifi_Rohingya Kannada Khmer Malayalam Mandaic Manichaean Mongolian Myanmar Nko Oriya Phags_Pa Sinhala Sogdian Syriac Tamil Telugu';
const rightToLeftScripts = 'Adlam Arabic Hanifi_Rohingya Hebrew Mandaic Nko Samaritan Syriac Thaana';

function inScripts(names: string): string {
  return `[${names.replaceAll(/\w+/g, String.raw`\p{Script=$&}`).replaceAll(' ', '')}]`;
}

const joiningLetter = String.raw`[[\p{L}\p{M}]&&${inScripts(joiningScripts)}]`;
const rightToLeftLetter = String.raw`[\p{L}&&${inScripts(rightToLeftScripts)}]`;
const mark = String.raw`[\u200E\u200F\u061C]`;

/** The only unsafe characters that may stay, each with what must stand around it. */
const allowed = [
  // Selectors, joiners and tags of emoji.
  String.raw`\p{RGI_Emoji}(?![\uFE0E\uFE0F])`,
  String.raw`\p{Emoji}[\uFE0E\uFE0F]`,
  // One joiner or non-joiner between letters of a joining script.
  `(?<=${joiningLetter})[\\u200C\\u200D](?=${joiningLetter})`,
  // One direction mark beside a right-to-left letter.
  `(?<=${rightToLeftLetter})${mark}(?!${mark})`,
  `(?<!${mark})${mark}(?=${rightToLeftLetter})`,
  // One registered variant of a Han ideograph.
  String.raw`(?<=\p{Unified_Ideograph})[\u{E0100}-\u{E01EF}]`,
];
const unsafe = String.raw`[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\uFFF9-\uFFFB\p{Default_Ignorable_Code_Point}]`;
const UNSAFE = new RegExp(unsafe, 'v');
const ALLOWED_OR_UNSAFE = new RegExp(`${allowed.join('|')}|(?<unsafe>${unsafe})`, 'gv');

/** The unsafe characters of a text as `U+…`. Written here again, so that the tests do not trust core's table. */
export function unsafeIn(text: string): string[] {
  // The table of emoji sequences is slow.
  if (!UNSAFE.test(text)) return [];
  return [...text.matchAll(ALLOWED_OR_UNSAFE)]
    .map(({ groups }) => groups?.['unsafe'])
    .filter((character) => character !== undefined)
    .map((character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`);
}
