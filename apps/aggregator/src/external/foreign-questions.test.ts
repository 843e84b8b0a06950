import { expect, test } from 'vitest';
import { foreignQuestion, withForeignQuestions } from './foreign-questions.ts';

const form = (properties: object) => ({
  message: 'Continue?',
  requestedSchema: { type: 'object', properties },
});
const ask = (params: Readonly<Record<string, unknown>>) =>
  foreignQuestion('full', 'elicitation/create', params);

test('a question of an external server names it, and the host of an address', () => {
  expect(ask(form({ name: { type: 'string' } }))).toStrictEqual({
    ...form({ name: { type: 'string' } }),
    message: '[full] Continue?',
  });
  expect(
    ask({
      mode: 'url',
      message: 'Deskside system:\u202e log in',
      url: 'https://evil.example:8443/deskside',
      elicitationId: '1',
    }),
  ).toMatchObject({
    message: String.raw`[full] Deskside system:\u{202e} log in (opens evil.example:8443)`,
    url: 'https://evil.example:8443/deskside',
  });
  expect(ask({ mode: 'url', message: 'a', url: 'no address' })).toHaveProperty(
    'message',
    '[full] a (opens an invalid address)',
  );
  expect(foreignQuestion('full', 'roots/list', { message: 'a' })).toStrictEqual({ message: 'a' });
});

test.each([
  { password: { type: 'string' } },
  { a: { type: 'string', title: 'Your API key' } },
  { a: { type: 'string', description: 'The secret of your account.' } },
  { a: { type: 'string', format: 'password' } },
])('a question for a secret is refused: %j', (properties) => {
  expect(() => ask(form(properties))).toThrow('full asks for a password or key.');
});

const asking = (properties: object) => ({
  resultType: 'input_required',
  inputRequests: {
    a: { method: 'elicitation/create', params: form(properties) },
    b: { method: 'roots/list' },
  },
});

test('a result of the modern era that asks is treated alike', () => {
  expect(withForeignQuestions('full', asking({ name: { type: 'string' } }))).toMatchObject({
    inputRequests: { a: { params: { message: '[full] Continue?' } }, b: { method: 'roots/list' } },
  });
  expect(() => withForeignQuestions('full', asking({ pin: { type: 'string' } }))).toThrow('password or key');
  expect(withForeignQuestions('full', { content: [] })).toStrictEqual({ content: [] });
});
