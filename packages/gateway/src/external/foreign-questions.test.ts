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
  expect(ask({ message: 'a', url: null })).toStrictEqual({ message: '[full] a', url: null });
  expect(foreignQuestion('full', 'roots/list', { message: 'a' })).toStrictEqual({ message: 'a' });
});

test.each([
  { password: { type: 'string' } },
  { a: { type: 'string', title: 'Your API key' } },
  { a: { type: 'string', title: 'API key for GitHub' } },
  { a: { type: 'string', title: 'Password (8 characters or more)' } },
  { a: { type: 'string', title: 'Enter your password:' } },
  { a: { type: 'string', title: 'Please type in the password' } },
  { a: { type: 'string', title: 'For access, enter your password' } },
  { a: { type: 'string', title: 'Passwords' } },
  { a: { type: 'string', title: 'API keys' } },
  { a: { type: 'string', title: 'The secret of your account' } },
  { a: { type: 'string', format: 'password' } },
  { confirm_password: { type: 'string' } },
  { passwordConfirmation: { type: 'string' } },
  { token: {} },
  { access_token: { type: 'string' } },
  { 'auth-token': { type: 'string' } },
  { githubToken: { type: 'string' } },
  { GITHUB_TOKEN: { type: 'string' } },
  { user_pin: { type: 'string' } },
  { pin: { type: 'string' } },
  { otp: { type: 'string' } },
  { smsOtp: { type: 'string' } },
  { oneTimeCode: { type: 'string' } },
  { credentials: { type: 'string' } },
  { a: { type: 'string', title: 'One-time code' } },
  { a: { type: 'string', title: 'Passcode' } },
])('a question for a secret is refused: %j', (properties) => {
  expect(() => ask(form(properties))).toThrow('full asks for a password or key.');
});

test.each([
  // As the reference server asks.
  {
    integer: {
      type: 'integer',
      title: 'Favorite Integer',
      description: 'Your favorite integer (do not give us your phone number, pin, or other sensitive info)',
    },
  },
  { token_count: { type: 'integer' } },
  { token: { type: 'integer', title: 'Token' } },
  { a: { type: 'string', title: 'Token budget of the run' } },
  { pin_code: { type: 'string', title: 'Postal code' } },
  { a: { type: 'string', title: 'Drop a pin on the map' } },
  { a: { type: 'string', title: 'Name of the secret in the vault' } },
  { credential: { type: 'string', enum: ['work', 'home'] } },
  { token: { enum: ['ETH', 'USDC'] } },
  { token: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] } },
  { a: { type: 'string', description: 'GITHUB_TOKEN' } },
  { reason: { type: 'string', title: 'Reason for the password reset' } },
  { file: { type: 'string', title: 'File with the private key' } },
  { secretary: { type: 'string' }, spin: { type: 'string' }, tokenizer: { type: 'string' } },
  { useToken: { type: 'boolean' } },
  { tokens: { type: 'array', items: { type: 'string', enum: ['a'] } } },
  { password_hint: { type: 'string' }, token_name: { type: 'string' }, secretId: { type: 'string' } },
])('a question that only mentions a secret passes: %j', (properties) => {
  expect(ask(form(properties, 'Which token? Never enter your password.'))).toHaveProperty(
    'message',
    '[full] Which token? Never enter your password.',
  );
});

test('an address where a person enters a secret passes', () => {
  const params = { mode: 'url', message: 'Enter your API key', url: 'https://a.example', elicitationId: '1' };
  expect(ask(params)).toHaveProperty('message', '[full] Enter your API key (opens a.example)');
});

test('an address is passed as it is opened', () => {
  const url = 'https://deskside.example@evil.example/a\u202e\u200b?b=\u2066#c';
  expect(ask({ mode: 'url', message: 'a', url, elicitationId: '1' })).toMatchObject({
    message: '[full] a (opens evil.example)',
    url: 'https://deskside.example@evil.example/a%E2%80%AE%E2%80%8B?b=%E2%81%A6#c',
  });
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

test('an error that demands a visit to an address names the server and the host', () => {
  const visit = {
    mode: 'url',
    message: 'Deskside:\u202e log in',
    url: 'https://evil.example/',
    elicitationId: '1',
  };
  const error = foreignError(
    'full',
    ProtocolError.fromError(REQUIRED, 'Log\u202e in', { elicitations: [visit, 'no question'] }),
  );
  expect(error).toMatchObject({ code: REQUIRED, message: String.raw`[full] Log\u{202e} in` });
  expect(error.data).toStrictEqual({
    elicitations: [{ ...visit, message: String.raw`[full] Deskside:\u{202e} log in (opens evil.example)` }],
  });
  expect(
    foreignError('full', ProtocolError.fromError(REQUIRED, 'a', { elicitations: 'many' })).data,
  ).toStrictEqual({
    elicitations: [],
  });
});

test('every other error passes unchanged', () => {
  const error = new ProtocolError(-32_602, 'a\u202e', { elicitations: [{ message: 'b' }] });
  expect(foreignError('full', error)).toBe(error);
});
