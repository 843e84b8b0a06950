import { cpuMsOf } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { containing, fold } from './fold.ts';

describe('one text in two spellings', () => {
  test.each([
    ['  Konto \t\u2003Auszug ', 'konto auszug'],
    ['Falcon\u2013Nine\u2212', 'falcon-nine-'],
    ['/Geh%E4lter.pdf', '/gehälter.pdf'],
    ['?next=%2Fsalary%2520bands', '?next=/salary bands'],
    ['?q=salary+bands', '?q=salary bands'],
    ['https://xn--bcher-kva.example/', 'https://bücher.example/'],
    ['bücher。example', 'bücher.example'],
    ['ΟΔΟΣ ΟΔΟΣ', 'οδοσ οδοσ'],
    ['STRAẞE', 'strasse'],
    ['İstanbul', 'istanbul'],
    ['yapı kredi', 'yapi kredi'],
    ['e\u200D\u0301', 'é'],
    ['a\u0007b', 'ab'],
  ])('%j is %j', (text, folded) => {
    expect(fold(text)).toBe(folded);
    expect(fold(folded)).toBe(folded);
  });

  test('a search for one in many spellings finds it', () => {
    expect(containing('bu\uFEFF\u0308cher\u200B bank')(['Bücher-Bank'])).toBe(true);
  });

  test.each(['c++', '100 %', 'a%zz', 'xn--', 'snake_case', 'a-b'])('%j stays', (text) => {
    expect(fold(text)).toBe(text);
  });
});

test.each(['%25', '%C3', '+', 'xn--', ' \u200B', 'a+', '%'])(
  'a long text of %j takes linear time',
  (part) => {
    const text = part.repeat(100_000);
    expect(cpuMsOf(() => void fold(text))).toBeLessThan(1000);
  },
);
