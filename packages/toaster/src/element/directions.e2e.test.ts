import { expect, test } from 'vitest';
import { describeInBrowsers } from '../testing/in-page.ts';

const WIDTHS = [320, 600, 864, 1000, 1320, 1920];

describeInBrowsers((open) => {
  test.each(['ltr', 'rtl'])(
    'in a page from %s, each position is where its name says, at every width',
    async (dir) => {
      for (const width of WIDTHS) {
        const page = await open('', [width, 900]);
        const found = await page.evaluate(async (given) => {
          document.documentElement.dir = given;
          document.documentElement.style.overflowY = 'scroll';
          const names = [
            'top-left',
            'top-center',
            'top-right',
            'bottom-left',
            'bottom-center',
            'bottom-right',
          ] as const;
          for (const position of names) tools.toaster.info(position, { duration: 0, position });
          await tools.draw();
          const { clientWidth } = document.documentElement;
          // A scroll bar on the left moves all of them.
          const origin = document.documentElement.getBoundingClientRect().left;
          return names.map((position) => {
            const box = tools.toaster.shadowRoot
              ?.querySelector(`.${position} .card`)
              ?.getBoundingClientRect();
            const left = (box?.left ?? 0) - origin;
            const right = clientWidth - left - (box?.width ?? 0);
            const isInside = left >= 0 && right >= 0;
            const side = Math.abs(left - right) <= 1 ? 'center' : left < right ? 'left' : 'right';
            return isInside ? side : `outside: ${left} ${right}`;
          });
        }, dir);
        const sides = ['left', 'center', 'right'].map((side) => (width < 440 ? 'center' : side));
        expect([width, found]).toEqual([width, [...sides, ...sides]]);
      }
    },
  );
});
