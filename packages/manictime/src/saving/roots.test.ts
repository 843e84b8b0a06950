import { expect, test } from 'vitest';
import { folderOfRoot } from './roots.ts';

test.each([
  ['file:///C:/src/x', String.raw`C:\src\x`],
  ['FILE:///c:/src/x/', String.raw`c:\src\x` + '\\'],
  ['file:///c%3A/src/x', String.raw`c:\src\x`],
  [String.raw`file://C:\src\x`, String.raw`C:\src\x`],
  [String.raw`file:///C:\src\x`, String.raw`C:\src\x`],
  ['file://C:/src/x', String.raw`C:\src\x`],
  [String.raw`file://C:\src/x\y/z`, String.raw`C:\src\x\y\z`],
  [String.raw`file://C:\src\..\other`, String.raw`C:\other`],
  ['file:///C:/my%20work/%C3%A4', String.raw`C:\my work\ä`],
  [String.raw`file://C:\my work\ä`, String.raw`C:\my work\ä`],
  [String.raw`file://C:\my%20work`, String.raw`C:\my work`],
  [String.raw`file://C:\C#\100% sure?`, String.raw`C:\C#\100% sure?`],
  ['file:///C:/C%23/100%25', String.raw`C:\C#\100%`],
  ['file:///C:/', 'C:\\'],
  ['file://server/share/x', String.raw`\\server\share\x`],
  ['file://localhost/C:/src', String.raw`C:\src`],
  ['file:///home/me', undefined],
  ['file://C:', undefined],
  ['file:///C:relative', undefined],
  ['https://example.com/C:/src', undefined],
  [String.raw`C:\src`, undefined],
  ['not a uri', undefined],
  ['', undefined],
])('on Windows %s is %s', (uri, folder) => {
  expect(folderOfRoot(uri, true)).toBe(folder);
});

test.each([
  ['file:///home/me/project', '/home/me/project'],
  ['file:///home/me/my%20work', '/home/me/my work'],
  ['file:///home/me/../you', '/home/you'],
  [String.raw`file:///home/a\b`, '/home/a/b'],
  ['file:///C:/src', undefined],
  [String.raw`file://C:\src`, undefined],
  ['file://server/share', undefined],
  ['https://example.com/home', undefined],
  ['not a uri', undefined],
  ['', undefined],
])('elsewhere %s is %s', (uri, folder) => {
  expect(folderOfRoot(uri, false)).toBe(folder);
});
