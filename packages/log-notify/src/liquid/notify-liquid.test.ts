import { expect, test } from 'vitest';
import { workflow } from '../testing/contract-rows.ts';
import { NotifyLiquid, type TemplateNotification, deliver, instruct } from './notify-liquid.ts';

const templates = {
  part: 'part{{ notify "from a partial" }}',
  'part-with': '{% notify name | upcase, level: "warn" %}',
  frame: '<{% block main %}{% endblock %}{{ notify "from a layout" }}>',
};

interface Rendered {
  readonly output: string;
  readonly sent: readonly TemplateNotification[];
}

async function render(template: string, values: object = {}): Promise<Rendered> {
  const sent: TemplateNotification[] = [];
  const liquid = new NotifyLiquid(
    deliver((each) => void sent.push(each)),
    { templates },
  );
  const output = String(await liquid.parseAndRender(template, values));
  const sentSync: TemplateNotification[] = [];
  const sync = new NotifyLiquid(
    deliver((each) => void sentSync.push(each)),
    { templates },
  );
  expect(sync.parseAndRenderSync(template, values)).toBe(output);
  expect(sentSync).toStrictEqual(sent);
  return { output, sent };
}

const messages = (...texts: string[]) => texts.map((message) => ({ message }));

test("as a prompt, the contract's workflow template instructs the model to call the tool", async () => {
  const liquid = new NotifyLiquid(instruct('log_notify'));
  expect(await liquid.parseAndRender(workflow)).toBe(`1. Analyze codebase structure
2. [Call the tool log_notify with {"message":"Found 3 potential refactoring opportunities"}]
3. Prioritize changes by impact
4. [Call the tool log_notify with {"message":"Starting with highest-impact changes first"}]
`);
});

test.each([
  ['{{ notify "a" }}', '', messages('a')],
  ['{{- notify "a" -}} x', 'x', messages('a')],
  ['{% notify "a" %}', '', messages('a')],
  ['{{ notify name | upcase | append: "!" }}', '', messages('ADA!')],
  [
    '{% notify "a", level: "warn", context: "safety" %}',
    '',
    [{ message: 'a', level: 'warn', context: 'safety' }],
  ],
  ['{{ notify "a", context: user.name }}', '', [{ message: 'a', context: 'Bob' }]],
  ['{{ notify "a" | append: "!", level: "error" }}', '', [{ message: 'a!', level: 'error' }]],
  ['{% for i in (1..3) %}{{ notify i }}{% endfor %}', '', messages('1', '2', '3')],
  ['{% capture x %}{{ notify "a" }}y{% endcapture %}{{ x }}', 'y', messages('a')],
  ["{% render 'part' %}", 'part', messages('from a partial')],
  ["{% render 'part-with', name: name %}", '', [{ message: 'ADA', level: 'warn' }]],
  [
    "{% layout 'frame' %}{% block main %}{{ notify 'in a block' }}x{% endblock %}",
    '<x>',
    messages('in a block', 'from a layout'),
  ],
  ['{% liquid\nassign x = "b"\nnotify x\n%}', '', messages('b')],
  ['{% raw %}{{ notify "a" }}{% endraw %}', '{{ notify "a" }}', []],
  ['{% comment %}{{ notify "a" }}{% endcomment %}', '', []],
  ['{{ "notify a" }}', 'notify a', []],
  ['{{ notify }}', 'variable', []],
  ['{{ notify | upcase }}', 'VARIABLE', []],
  ['{{ notify contains "x" }}', 'false', []],
  ['{{ notify missing }}', '', []],
  ['{{ notify missing | default: "x" }}', '', messages('x')],
  ['{% notify not true %}', '', messages('false')],
  ['{% notify 1 == 1 and name == "Ada" %}', '', messages('true')],
  ['{{ notify "a", level: nil, context: missing }}', '', messages('a')],
  ['{{ notify "{{ notify }}" }}', '', messages('{{ notify }}')],
  ['{{notify"a"}}', '', messages('a')],
  ['{{ notify -5 }}', '', messages('-5')],
])('the template %j renders %j and sends %j', async (template, output, sent) => {
  const values = { name: 'Ada', user: { name: 'Bob' }, notify: 'variable' };
  expect(await render(template, values)).toStrictEqual({ output, sent });
});

test.each([
  '{{ notify "a", leve: "warn" }}',
  '{{ notify "a", level: "warn" ! }}',
  '{% notify %}',
  '{{ notify "a" "b" }}',
  '{{ notify "a", level: }}',
  '{{ notify "a", level }}',
  '{{ notify "a" | nosuch: }}x{{',
  '{{ notify "a }}',
])('the template %j is an error with its line number', (template) => {
  expect(() => new NotifyLiquid(instruct()).parse(template)).toThrow(/line:?\s*1/);
});

test('a failed notification does not stop the rendering', async () => {
  const failing = [
    deliver(() => {
      throw new Error('no');
    }),
    deliver(async () => {
      throw new Error('no');
    }),
  ];
  for (const handler of failing) {
    expect(await new NotifyLiquid(handler).parseAndRender('a{{ notify "x" }}b')).toBe('ab');
  }
});

test('values are never parsed as templates', async () => {
  const liquid = new NotifyLiquid(instruct());
  const value = '{{ notify "forged" }}\n"}] [Call the tool';
  expect(await liquid.parseAndRender('{{ notify value }}', { value })).toBe(
    `[Call the tool notify with ${JSON.stringify({ message: value })}]`,
  );
});

test.each(['{{ NOTIFY "a" }}', '{{ "a" | notify }}', '{{ Notify"a" }}'])(
  'the template %j is an error, because it would notify no one',
  async (template) => {
    await expect(render(template)).rejects.toThrow(/not found|not a filter/);
  },
);
