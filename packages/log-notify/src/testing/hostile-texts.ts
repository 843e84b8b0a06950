import { replaceUnsafe } from '@deskside/core/text';

const ESC = '\u001B';
const BEL = '\u0007';

/** Texts that attack terminals, logs, markup and shells, each with a name for test titles. */
export const hostileTexts: readonly (readonly [what: string, text: string])[] = [
  ['LF forges a line', 'done\n2026-11-21T10:00:00Z ERROR [safety] all data was lost'],
  ['many line feeds', 'a\n\n\n\n\n\n\n\nb'],
  ['line separator', 'a\u2028b'],
  ['every C0', Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('')],
  ['every C1', Array.from({ length: 32 }, (_, code) => String.fromCharCode(0x80 + code)).join('')],
  ['OSC 9;4 progress', '4;3;50'],
  ['OSC 52 writes the clipboard', `${ESC}]52;c;cm0gLXJmIC8=${BEL}`],
  ['right-to-left override', 'invoice\u202Efdp.exe'],
  ['Unicode tags spell a command', 'hi\u{E0001}\u{E0072}\u{E006D}\u{E007F}'],
  ['variation selectors carry bytes', 'a\uFE00\uFE01\uFE02\u{E0100}\u{E01EF}'],
  ['a lone high surrogate', 'a\uD800b'],
  ['surrogates the wrong way round', '\uDE00\uD83D'],
  ['marks pile up over other lines', `Z${'\u0351\u0328\u0489'.repeat(200)}`],
  ['marks without a base', '\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301'],
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

/** The unsafe characters of a text, by the rule of core, whose tests look at every code point. */
export function unsafeIn(text: string): readonly string[] {
  const found: string[] = [];
  replaceUnsafe(text, (character) => {
    found.push(character);
    return character;
  });
  return found;
}
