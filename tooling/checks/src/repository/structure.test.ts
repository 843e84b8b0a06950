import { expect, test } from 'vitest';
import { products } from '../workspace.ts';
import { folderCircles } from './circles.ts';
import { sources } from './sources.ts';

const fromSrc = (path: string) => path.slice(path.indexOf('/src/') + '/src/'.length);

test.each(products)('the folders of $name are layers without circles', ({ name }) => {
  const own = sources.filter(({ owner }) => owner.name === name);
  const modules = own.map(({ path, imports }) => ({
    path: fromSrc(path),
    imports: imports.filter((target) => target.includes('/src/')).map(fromSrc),
  }));
  expect(folderCircles(modules).join('\n')).toBe('');
});
