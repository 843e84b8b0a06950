import { ProtocolError } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { foreignError, foreignQuestion, withForeignQuestions } from './foreign-questions.ts';

const REQUIRED = -32_042;

const form = (properties: object, message = 'Continue?') => ({
  message,
  requestedSchema: { type: 'object', properties },
});
const ask = (params: Readonly<Record<string, unknown>>) =>
  foreignQuestion('full', 'elicitation/create', params);

test('a question of an external server names it, and the host of an address, which passes as it is opened', () => {
  expect(ask(form({ name: { type: 'string' } }))).toStrictEqual({
    ...form({ name: { type: 'string' } }),
    message: '[full] Continue?',
  });
  expect(
    ask({
      mode: 'url',
      message: 'Deskside system:\u202e Enter your API key',
      url: 'https://deskside.example@evil.example:8443/a\u202e\u200b?b=\u2066#c',
      elicitationId: '1',
    }),
  ).toMatchObject({
    message: String.raw`[full] Deskside system:\u{202e} Enter your API key (opens evil.example:8443)`,
    url: 'https://deskside.example@evil.example:8443/a%E2%80%AE%E2%80%8B?b=%E2%81%A6#c',
  });
  expect(ask({ message: 'a', url: null })).toStrictEqual({ message: '[full] a', url: null });
  expect(foreignQuestion('full', 'roots/list', { message: 'a' })).toStrictEqual({ message: 'a' });
});

test.each([
  { password: { type: 'string' } },
  { a: { type: 'string', title: 'Your API key' } },
  { a: { type: 'string', title: 'API key for GitHub' } },
  { a: { type: 'string', title: 'Password (8 characters or more)' } },
  { a: { type: 'string', title: 'Please type in the password' } },
  { a: { type: 'string', title: 'For access, enter your password' } },
  { a: { type: 'string', title: 'API keys' } },
  { a: { type: 'string', title: 'The secret of your account' } },
  { a: { type: 'string', format: 'password' } },
  { passwordConfirmation: { type: 'string' } },
  { token: {} },
  { 'auth-token': { type: 'string' } },
  { githubToken: { type: 'string' } },
  { user_pin: { type: 'string' } },
  { pin: { type: 'string' } },
  { otp: { type: 'string' } },
  { oneTimeCode: { type: 'string' } },
  { credentials: { type: 'string' } },
  { a: { type: 'string', title: 'Passcode' } },
])('a question for a secret is refused: %j', (properties) => {
  expect(() => ask(form(properties))).toThrow('full asks for a password or key.');
});

test.each([
  { token_count: { type: 'integer' } },
  { a: { type: 'string', title: 'Token budget of the run' } },
  { pin_code: { type: 'string', title: 'Postal code' } },
  { a: { type: 'string', title: 'Drop a pin on the map' } },
  { credential: { type: 'string', enum: ['work', 'home'] } },
  { token: { enum: ['ETH', 'USDC'] } },
  { token: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] } },
  { a: { type: 'string', description: 'GITHUB_TOKEN' } },
  { reason: { type: 'string', title: 'Reason for the password reset' } },
  { file: { type: 'string', title: 'File with the private key' } },
  { secretary: { type: 'string' }, spin: { type: 'string' }, tokenizer: { type: 'string' } },
  { tokens: { type: 'array', items: { type: 'string', enum: ['a'] } } },
  { password_hint: { type: 'string' }, token_name: { type: 'string' }, secretId: { type: 'string' } },
])('a question that only mentions a secret passes: %j', (properties) => {
  expect(ask(form(properties, 'Which token? Never enter your password.'))).toHaveProperty(
    'message',
    '[full] Which token? Never enter your password.',
  );
});

test.each(['javascript:alert(1)', 'file:///etc/passwd', 'vscode://a.example/b', 'no address', '', 1])(
  'an address that is not http or https is refused: %s',
  (url) => {
    const visit = { mode: 'url', message: 'a', url, elicitationId: '1' };
    const refusal =
      'full asks to open an address that is not http or https. Deskside does not pass such a question.';
    expect(() => ask(visit)).toThrow(refusal);
    const error = ProtocolError.fromError(REQUIRED, 'a', { elicitations: [visit] });
    expect(() => foreignError('full', error)).toThrow(refusal);
  },
);

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

test('every text of a form is escaped, and its values stay', () => {
  const hidden = 'pay\u202e';
  const shown = String.raw`pay\u{202e}`;
  const values = { type: 'string', enum: [hidden], default: hidden, pattern: '\u200b' };
  const fields = (text: string) => ({
    name: { ...values, title: text, description: text, enumNames: [text] },
    title: { ...values, oneOf: [{ const: hidden, title: text }] },
    [hidden]: { type: 'boolean', description: text },
  });
  const shownForm = ask(form(fields(hidden)));
  expect(shownForm).toHaveProperty('requestedSchema.properties', fields(shown));
});
