/** The JSON that most clients read from their configuration: an HTTP server with its bearer token. */
export function clientConfiguration(name: string, url: string, token: string): string {
  const server = { type: 'http', url, headers: { Authorization: `Bearer ${token}` } };
  return JSON.stringify({ mcpServers: { [name]: server } }, null, 2);
}
