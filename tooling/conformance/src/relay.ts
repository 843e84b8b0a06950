/**
 * The program that the suite starts as a client: `node relay.ts ADDRESS URL`. Passes on the URL of the server and what the suite
 * tells its client, and ends when the client does.
 */
const [, , address = '', url = ''] = process.argv;
const response = await fetch(address, {
  method: 'POST',
  body: JSON.stringify({ url, context: process.env['MCP_CONFORMANCE_CONTEXT'] }),
});
if (!response.ok) throw new Error(await response.text());
