/** The script of a page that uses the SDK's client: it logs in at a server, calls tools in turn and shows their texts. */
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';

/** What the HTML of the page sets. */
export interface LoginPageSettings {
  readonly url: string;
  readonly era: 'legacy' | 'modern';
  /** Arguments by tool. */
  readonly calls: Readonly<Record<string, Record<string, unknown>>>;
}

// The parts of a browser that it uses.
declare const document: { querySelector(selector: string): { append(text: string): void } };
declare const location: { readonly origin: string; readonly search: string; assign(url: string): void };
declare const sessionStorage: {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
};
declare const settings: LoginPageSettings;

const query = new URLSearchParams(location.search);
const redirectUrl = `${location.origin}/`;

/** The page leaves for the login, so everything is in its storage. */
const read = (name: string) => JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined;
const write = (name: string, value: unknown) => sessionStorage.setItem(name, JSON.stringify(value));

const authProvider: OAuthClientProvider = {
  redirectUrl,
  clientMetadata: { client_name: 'Page', redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
  clientInformation: () => read('client'),
  saveClientInformation: (client) => write('client', client),
  tokens: () => read('tokens'),
  saveTokens: (tokens) => write('tokens', tokens),
  codeVerifier: () => read('verifier'),
  saveCodeVerifier: (verifier) => write('verifier', verifier),
  discoveryState: () => read('discovery'),
  saveDiscoveryState: (discovered) => write('discovery', discovered),
  redirectToAuthorization: ({ href }) => location.assign(href),
};

const show = (text: string) => document.querySelector('output').append(text);

async function callTools(): Promise<void> {
  const transport = new StreamableHTTPClientTransport(new URL(settings.url), { authProvider });
  if (query.has('code')) await transport.finishAuth(query);
  const mode = settings.era === 'legacy' ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client({ name: 'page', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  for (const [name, values] of Object.entries(settings.calls)) {
    const { content } = await client.callTool({ name, arguments: values });
    for (const block of content) if (block.type === 'text') show(`${block.text}. `);
  }
}

try {
  await callTools();
} catch (error) {
  // The browser is on its way to the login.
  if (!(error instanceof UnauthorizedError)) show(String(error));
}
