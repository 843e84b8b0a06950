import { testBehaviors } from '../testing/in-page.ts';

testBehaviors([
  {
    title: 'a duration that is absent, empty or no time is not given; a decimal text is a number',
    run: () => {
      const values: readonly unknown[] = [
        null,
        '',
        ' ',
        false,
        true,
        Number.NaN,
        -1,
        {},
        'soon',
        '4000',
        '0',
        0,
        Infinity,
      ];
      return values.map((duration) => {
        const id = tools.toaster.show({ message: 'Saved', duration: duration as number });
        return tools.toaster.history.find(({ notification }) => notification.id === id)?.notification
          .duration;
      });
    },
    expected: [...Array.from({ length: 9 }, () => 5000), 4000, 0, 0, 0],
  },
  {
    title: 'settings of a toast that are absent or wrong are not given, and nothing is thrown',
    run: () => {
      const wrong: readonly object[] = [
        { id: null },
        { id: '' },
        { timestamp: null },
        { severity: 'fatal', position: 'middle' },
        { title: null, action: null, actions: null, loading: null, icon: null, body: null },
        { title: ' ', actions: 'x', icon: 'x', body: {} },
        { actions: [null, {}, { label: 7 }, { label: 'Logs', action: 'prompt' }, { label: 'Undo' }] },
      ];
      return wrong.map((options, n) => {
        const id = tools.toaster.show({ message: `Saved ${n}`, ...options });
        const card = tools.toaster.shadowRoot?.querySelector('.stack .card:not(.leaving)');
        const buttons = card?.querySelectorAll<HTMLElement>('.action') ?? [];
        for (const button of buttons) button.click();
        tools.toaster.dismissAll();
        return [
          /^page-\d+$/.test(id),
          card?.ariaLabel,
          card?.querySelector('.message')?.textContent,
          buttons.length,
        ];
      });
    },
    expected: [0, 1, 2, 3, 4, 5, 6].map((n) => [
      true,
      `Information: Saved ${n}`,
      `Saved ${n}`,
      n === 6 ? 1 : 0,
    ]),
  },
  {
    title: 'labels that are absent or no texts are the English ones',
    run: () => {
      const { toaster } = tools;
      Object.assign(toaster, { labels: { close: null, info: undefined, more: 7, error: 'Fehler' } });
      toaster.error('Kaputt', { duration: 0 });
      const card = toaster.shadowRoot?.querySelector('.card');
      const shown = [card?.ariaLabel, card?.querySelector('.close')?.ariaLabel];
      const { close, info, more } = toaster.labels;
      Object.assign(toaster, { labels: null });
      return [...shown, close, info, more, toaster.labels.error];
    },
    expected: ['Fehler: Kaputt', 'Close', 'Close', 'Information', '{n} more', 'Error'],
  },
]);
