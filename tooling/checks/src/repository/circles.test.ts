import { expect, test } from 'vitest';
import { folderCircles } from './circles.ts';
import { specifiersOf } from './sources.ts';

const module = (path: string, ...imports: readonly string[]) => ({ path, imports });

test('folders in layers have no circle', () => {
  const modules = [
    module('server.ts', 'tools/index.ts', 'todo.ts'),
    module('tools/index.ts', 'todo.ts', 'store/store.ts'),
    module('todo.ts', 'store/store.ts'),
    module('store/store.ts', 'store/row.ts'),
  ];
  expect(folderCircles(modules)).toEqual([]);
});

test('a circle between two folders is listed without the imports that lead to it or on from it', () => {
  const modules = [
    module('tools/index.ts', 'store/store.ts'),
    module('store/store.ts', 'rules/title.ts', 'text/escape.ts'),
    module('rules/page.ts', 'store/task.ts'),
  ];
  expect(folderCircles(modules)).toEqual([
    'store/store.ts imports rules/title.ts',
    'rules/page.ts imports store/task.ts',
  ]);
});

test.each([
  [[module('a/a.ts', 'b/a.ts'), module('b/a.ts', 'c/a.ts'), module('c/a.ts', 'a/a.ts')]],
  [[module('todo.ts', 'store/store.ts'), module('store/store.ts', 'todo.ts')]],
  [[module('window/x11/a.ts', 'window/chrome/a.ts'), module('window/chrome/a.ts', 'window/x11/a.ts')]],
])('a circle over three folders, over a file of src, or inside a folder is listed', (modules) => {
  expect(folderCircles(modules)).toHaveLength(modules.length);
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
