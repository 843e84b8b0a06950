import { expect, expectTypeOf, test } from 'vitest';
import { templateDefiner } from './resource.ts';
import { matchesUriTemplate, uriMatcher } from './uri-template.ts';

test.each<[string, string, Record<string, string> | undefined]>([
  ['x://{id}', 'x://7', { id: '7' }],
  ['x://{id}', 'x://', undefined],
  ['x://{id}', 'x://a/b', undefined],
  ['x://{id}', 'x://K%C3%A4se%20%2F%201', { id: 'Käse / 1' }],
  ['x://{id}', 'x://100%', undefined],
  ['x://{id}', 'x://what?', { id: 'what?' }],
  ['x://café/{id}', 'x://caf%C3%A9/1', { id: '1' }],
  ['x://café/{id}', 'x://café/1', { id: '1' }],
  ['x://café/{id}', 'x://cafe/1', undefined],
  ['x://s{?a}{&b}', 'x://s?b=1', { b: '1' }],
  ['x://{id}.json', 'x://7.json', { id: '7' }],
  ['x://{id}.json', 'x://7xjson', undefined],
  ['x://{a},{b}', 'x://1,2', { a: '1', b: '2' }],
  ['x://{a,b}', 'x://1,2', { a: '1', b: '2' }],
  ['x://{+path}', 'x://a/b%20c', { path: 'a/b c' }],
  ['x://{path*}', 'x://a/b', { path: 'a/b' }],
  ['x://s{/a,b}', 'x://s/1/2', { a: '1', b: '2' }],
  ['x://s{/a,b}', 'x://s/1', undefined],
  ['q://s{?a,b}', 'q://s', {}],
  ['q://s{?a,b}', 'q://s?b=2&a=1', { a: '1', b: '2' }],
  ['q://s{?a,b}', 'q://s?a=', { a: '' }],
  ['q://s{?a,b}', 'q://s?a=x%26b%3D2', { a: 'x&b=2' }],
  ['q://s{?a,b}', 'q://s?a=1=2', { a: '1=2' }],
  ['q://s{?a,b}', 'q://s?c=1', undefined],
  ['q://s{?a,b}', 'q://s?a=1&a=2', undefined],
  ['q://s{?a,b}', 'q://s?a', undefined],
  ['q://s?fixed=1{&a}', 'q://s?fixed=1', {}],
  ['q://s?fixed=1{&a}', 'q://s?a=2&fixed=1', { a: '2' }],
  ['q://s?fixed=1{&a}', 'q://s?a=2', undefined],
  ['q://s?id={id}', 'q://s?id=5', { id: '5' }],
  ['q://{name}{?page}', 'q://log?page=2', { name: 'log', page: '2' }],
  ['x://{__proto__}', 'x://1', Object.fromEntries([['__proto__', '1']])],
  ['x://{id}', `x://${'a'.repeat(9000)}`, undefined],
])('%s reads %s', (template, uri, variables) => {
  expect(uriMatcher(template).match(uri)).toStrictEqual(variables);
  expect(matchesUriTemplate(template, uri)).toBe(variables !== undefined);
});

test.each([
  ['x://{id', 'A brace is missing'],
  ['x://id}', 'A brace is missing'],
  ['x://{}', '{} is not supported. Use {a}, {+a}, {/a,b}, {?a,b} or {&a}'],
  ['x://{#id}', '{#id} is not supported'],
  ['x://{a:3}', '{a:3} is not supported'],
  ['x://{id}/{id}', 'The variable "id" occurs twice'],
  ['x://a{&who}', '{&…} continues a query: begin it with {?…}'],
  ['x://a{&who}{?b}', '{&…} continues a query'],
  ['x://{?a}/b', 'Variables of the query must be at the end'],
  ['x://{?a}{b}', 'Variables of the query must be at the end'],
])('the template %s is rejected', (template, reason) => {
  expect(() => uriMatcher(template)).toThrow(reason);
  expect(matchesUriTemplate(template, 'x://7')).toBe(false);
});

test('matching a long URI is fast', () => {
  const matcher = uriMatcher('x://{+a}-{+b}-{+c}');
  expect(matcher.match(`x://${'-a'.repeat(4000)}/`)).toBeDefined();
});

test('the template types its variables', () => {
  const template = templateDefiner<object>()({
    uriTemplate: 'x://{owner}{/a,b}/{path*}{?page,size}',
    name: 'x',
    complete: { owner: () => [] },
    read(variables) {
      expectTypeOf(variables.owner).toEqualTypeOf<string>();
      expectTypeOf(variables.b).toEqualTypeOf<string>();
      expectTypeOf(variables.path).toEqualTypeOf<string>();
      expectTypeOf(variables.size).toEqualTypeOf<string | undefined>();
      // @ts-expect-error -- the template has no such variable
      return variables.onwer;
    },
  });
  expect(template.uriTemplate).toBe('x://{owner}{/a,b}/{path*}{?page,size}');
});
