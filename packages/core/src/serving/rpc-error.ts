/** A JSON-RPC error as an HTTP answer, for requests that never reach a server object. */
export function rpcError(
  status: number,
  code: number,
  message: string,
  headers?: Record<string, string>,
): Response {
  return Response.json(
    { jsonrpc: '2.0', id: null, error: { code, message } },
    { status, ...(headers === undefined ? {} : { headers }) },
  );
}
