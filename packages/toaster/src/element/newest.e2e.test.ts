import { testBehaviors } from '../testing/in-page.ts';

testBehaviors([
  {
    title: 'promise ends its spinner if the work fails with a long message',
    run: async () => {
      const { toaster, shown, settle } = tools;
      const work = Promise.reject(new Error('x'.repeat(600)));
      const toasts = {
        loading: { message: 'Saving' },
        success: () => ({ message: 'Saved' }),
        error: (reason: unknown) => ({ message: reason instanceof Error ? reason.message : '' }),
      };
      toaster.promise(work, toasts).catch(() => undefined);
      await settle();
      const icons = toaster.shadowRoot?.querySelectorAll('.icon.loading').length;
      return [shown().map((text) => [text.length, text.at(-1)]), icons];
    },
    expected: [[[500, '…']], 0],
  },
  {
    title: 'promise ends its spinner if a description throws, if nothing is a promise, and without a reason',
    run: async () => {
      const { toaster, shown, settle } = tools;
      const broken = {
        loading: { message: 'Saving' },
        success: (): string => JSON.parse('{'),
        error: (): string => JSON.parse('{'),
      };
      await toaster.promise(Promise.resolve(1), broken);
      toaster.promise(Promise.reject(new Error('disk full')), broken).catch(() => undefined);
      await settle();
      const described = shown();
      toaster.dismissAll();
      const texts = { loading: 'Saving', success: 'Saved', error: 'Failed' };
      // A page of JavaScript may return no promise.
      await Reflect.apply(toaster.promise, toaster, [() => 7, texts]);
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a page may
      toaster.promise(Promise.reject(undefined), texts).catch(() => undefined);
      await settle();
      return [described, shown().toSorted()];
    },
    expected: [
      ['disk full', 'Success'],
      ['Failed', 'Saved'],
    ],
  },
  {
    title: 'the newest toast is in front of three old ones that stay',
    run: () => {
      const { toaster, shown } = tools;
      for (const n of [1, 2, 3]) toaster.show({ message: `FYI ${n}`, severity: 'info', duration: 0 });
      toaster.show({ message: 'Deployed to production', severity: 'success' });
      const first = shown();
      toaster.show({ message: 'Budget exceeded', severity: 'warning', duration: 0 });
      return [first, shown(), toaster.history.length];
    },
    expected: [
      ['Deployed to production', '(FYI 3)', '(FYI 2)'],
      ['Budget exceeded', '(FYI 3)', '(FYI 2)'],
      5,
    ],
  },
  {
    title: 'a toast that closes by itself does not displace one that stays',
    run: () => {
      const { toaster, shown, wait } = tools;
      toaster.show({ message: 'Disk failing', severity: 'warning', duration: 0 });
      for (const n of [1, 2, 3, 4]) toaster.show({ message: `Job ${n}`, severity: 'info' });
      const before = shown();
      wait(5000);
      return [before, shown()];
    },
    expected: [['Job 4', '(Job 3)', '(Disk failing)'], ['Disk failing']],
  },
  {
    title: 'three toasts with equal texts and their own ids stay three',
    run: () => {
      const { toaster, shown } = tools;
      for (const id of ['a', 'b', 'c']) {
        toaster.show({ id, message: 'Uploaded', severity: 'success', duration: 0 });
      }
      toaster.show({ id: 'b', message: 'Upload of b failed', severity: 'error', duration: 0 });
      const history = toaster.history.map(({ notification }) => [notification.id, notification.message]);
      const updated = shown();
      toaster.dismiss('a');
      return [updated, history, shown()];
    },
    expected: [
      ['Upload of b failed', 'Uploaded', '(Uploaded)'],
      [
        ['b', 'Upload of b failed'],
        ['c', 'Uploaded'],
        ['a', 'Uploaded'],
      ],
      ['Upload of b failed', 'Uploaded'],
    ],
  },
  {
    title: 'of two tabs the visible one shows the result of a tool, and both record it',
    run: async () => {
      const { shown, openTab } = tools;
      const [hidden, visible] = [await openTab(), await openTab()];
      hidden.setHidden(true);
      const timestamp = new Date().toISOString();
      const result = { id: 'r1', message: 'Deployed', severity: 'success', duration: 0, timestamp } as const;
      for (const { toaster } of [hidden, visible]) toaster.show(result);
      const cards = [shown(hidden.toaster), shown(visible.toaster)];
      hidden.setHidden(false);
      return {
        cards,
        later: shown(hidden.toaster),
        history: [hidden.toaster.history.length, visible.toaster.history.length],
        unread: [hidden.toaster.unread, visible.toaster.unread],
      };
    },
    expected: { cards: [[], ['Deployed']], later: [], history: [1, 1], unread: [1, 1] },
  },
  {
    title: 'a long text without a duration stays as long as reading takes, and an explicit duration is exact',
    run: () => {
      const { toaster, shown, wait } = tools;
      const message = 'x'.repeat(500);
      const timestamp = new Date().toISOString();
      toaster.show({ message, severity: 'warning' });
      toaster.show({ id: 'r', message, severity: 'warning', duration: 5000, timestamp });
      toaster.show({ message: 'short', severity: 'info' });
      const [label, prompt] = ['Details', 'p'.repeat(193)];
      const actions = [{ label, action: 'prompt', prompt }] as const;
      toaster.show({ message, severity: 'info', duration: 1000, actions, position: 'bottom-right' });
      const counts = [0, 999, 1, 4000, 19_999, 1].map((ms) => {
        wait(ms);
        return shown().length;
      });
      return counts;
    },
    expected: [4, 4, 3, 2, 2, 0],
  },
  {
    title: 'the live regions name five of two hundred toasts, then their count, and an error at once',
    run: async () => {
      const { toaster, announced, settle, wait } = tools;
      for (let n = 1; n <= 200; n += 1) toaster.show({ message: `Job ${n}`, severity: 'info', duration: 0 });
      toaster.show({ message: 'Disk full', severity: 'error', duration: 0 });
      await settle();
      const atOnce = [...announced];
      wait(10_000);
      await settle();
      return [atOnce, announced.slice(atOnce.length).filter(Boolean)];
    },
    expected: [[...[1, 2, 3, 4, 5].map((n) => `Information: Job ${n}`), 'Error: Disk full'], ['195 more']],
  },
  {
    title: 'on a small screen errors pile with each other, and less than half of it is covered',
    size: [320, 640],
    run: () => {
      const { toaster, shown } = tools;
      const message = 'Workflow deployed successfully to production with all of its dependencies';
      for (const severity of ['error', 'info', 'warning', 'error', 'error'] as const) {
        toaster.show({ message: `${severity}: ${message}`, severity, duration: 0 });
      }
      const cards = [...(toaster.shadowRoot?.querySelectorAll('.stack .card') ?? [])];
      const bottom = Math.max(...cards.map((card) => card.getBoundingClientRect().bottom));
      return [shown().map((text) => text.replace(/:.*/, '')), bottom < 320];
    },
    expected: [['error', '(error', '(error'], true],
  },
]);
