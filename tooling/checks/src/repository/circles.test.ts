import { expect, test } from 'vitest';
import { folderCircles } from './circles.ts';
import { specifiersOf } from './sources.ts';

const step = (from: string, to: string) => ({ path: `${from}/a.ts`, imports: [`${to}/a.ts`] });

test('folders in layers have no circle', () => {
  const modules = [
    { path: 'server.ts', imports: ['tools/index.ts', 'todo.ts'] },
    { path: 'tools/index.ts', imports: ['todo.ts', 'store/store.ts'] },
    { path: 'todo.ts', imports: ['store/store.ts'] },
    { path: 'store/store.ts', imports: ['store/row.ts'] },
    { path: 'store/row.ts', imports: ['store/store.ts'] },
  ];
  expect(folderCircles(modules)).toEqual([]);
});

test('a circle between two folders is listed with one import per step', () => {
  const modules = [
    { path: 'store/store.ts', imports: ['rules/title.ts'] },
    { path: 'rules/title.ts', imports: [] },
    { path: 'rules/page.ts', imports: ['store/task.ts'] },
  ];
  expect(folderCircles(modules)).toEqual([
    'rules -> store -> rules\n  rules/page.ts imports store/task.ts\n  store/store.ts imports rules/title.ts',
  ]);
});

test('a circle over three folders, over a file of src, or inside a folder is listed', () => {
  expect(folderCircles([step('a', 'b'), step('b', 'c'), step('c', 'a')])).toHaveLength(1);
  expect(
    folderCircles([
      { path: 'todo.ts', imports: ['store/store.ts'] },
      { path: 'store/store.ts', imports: ['todo.ts'] },
    ]),
  ).toHaveLength(1);
  const [nested] = folderCircles([step('window/x11', 'window/chrome'), step('window/chrome', 'window/x11')]);
  expect(nested).toContain('chrome -> x11 -> chrome in window');
});

test('the import scan finds static, dynamic and type imports, re-exports and side effects', () => {
  const text = `
    import { a } from './a.ts';
    import type { B } from './b.ts';
    import './c.ts';
    export { d } from './d.ts';
    export type * from './e.ts';
    const f = await import('./f.ts');
    // import { no } from './comment.ts';
    const no = "from './string.ts'";
  `;
  expect(specifiersOf('x.ts', text)).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts', './f.ts']);
});
