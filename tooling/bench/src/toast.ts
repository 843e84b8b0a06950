import type { Benchmark, BenchmarkReport } from './benchmark.ts';
import { minimum } from './statistics.ts';
import { bundle, gzippedSize } from './toast/bundle.ts';
import { flood, type FloodCost, openChromium } from './toast/flood.ts';
import { toastSubjects, type ToastSubject } from './toast/subjects.ts';

const ROUNDS = 3;

interface Measured {
  readonly subject: ToastSubject;
  readonly size: number;
  readonly costs: readonly FloodCost[];
}

/** Needs Debian's Chromium. */
export const toast: Benchmark = {
  name: 'toast',
  title: 'Toasts in the page',
  async run() {
    const browser = await openChromium();
    try {
      const measured: Measured[] = [];
      for (const subject of toastSubjects) {
        const page = await bundle(subject);
        const costs: FloodCost[] = [];
        for (let round = 0; round < ROUNDS; round += 1) costs.push(await flood(browser, page));
        measured.push({ subject, size: await gzippedSize(subject), costs });
      }
      return report(measured);
    } finally {
      await browser.close();
    }
  },
};

function report(measured: readonly Measured[]): BenchmarkReport {
  return {
    compared:
      'The element with all it brings (centre, queue, live regions, themes), against the toast libraries that pages use most. What React ' +
      'itself weighs is left out for those that need it.',
    method:
      'Sizes are of an esbuild bundle, minified and gzipped at level 9, with styles. The flood is 200 different toasts, one every 5 ms, in ' +
      `Chromium without a screen; CPU time of the main thread's tasks from a trace, minimum of ${ROUNDS} runs, so that a busy machine counts little.`,
    tables: [
      {
        columns: ['Library', 'Size, bytes gzipped', 'Longest task, ms', 'All tasks, ms'],
        rows: measured.map(({ subject, size, costs }) => [
          subject.name,
          size,
          minimum(costs.map(({ longestTask }) => longestTask)).toFixed(1),
          minimum(costs.map(({ total }) => total)).toFixed(0),
        ]),
      },
    ],
    ratios: [],
    caveats: [
      'The element draws what it shows: of the 200, three are drawn at once, fifty wait, and the others stand in the notification centre.',
      'notyf shows every toast at once, react-hot-toast twenty, sonner and the element three; sonner keeps the others in the page.',
      'sonner and react-hot-toast need React, which the sizes leave out (about 60 kB gzipped).',
    ],
  };
}
