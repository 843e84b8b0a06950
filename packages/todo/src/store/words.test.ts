import { expect, test } from 'vitest';
import { wordMatcher, wordsOf } from './words.ts';

// A text and the words that find it are folded alike, so each pair stands for its reverse too.
test.each([
  ['Купить чай', 'чай'],
  ['Быстрый район', 'райо быстрый'],
  ['Домашня їжа', 'їжа'],
  ['Πληρωμή για γάλα', 'γάλα πληρωμή'],
  ['Cafe creme', 'café crème'],
  ['ΟΔΟΣ και δρόμος', 'οδος δρόμο ΔΡΌΜΟΣ'],
  ['ὀδυσσέας', 'ὀδυσσ'],
  ['𐐷𐐷𐐷 deseret', '𐐏𐐷'],
  ['Yapı Kredi', 'YAPI KREDİ'],
  ['ışık', 'IŞIK'],
  ['Straße', 'STRASSE'],
  ['Đà Nẵng', 'da nang'],
  ['lodz', 'ŁÓDŹ'],
])('a search in %s finds %s', (text, query) => {
  expect(wordMatcher(wordsOf(query))(text)).toBe(true);
});
