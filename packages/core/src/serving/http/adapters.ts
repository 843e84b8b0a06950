import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../definition/context.ts';
import type { HttpHandler } from './handler.ts';
import type { GivenRequest } from './route.ts';

/**
 * The caller of a request that the application has authenticated. Default: `auth` of the handler decides. An error
 * answers as one of `Authenticate`.
 */
export type PrincipalOf<Incoming> = (request: Incoming) => Principal | undefined;

/** A request of node:http, or of a framework on top of it whose body parser sets `body`. */
export type NodeRequest = IncomingMessage & { readonly body?: unknown };

/** For node:http, express and connect: `app.all('/mcp', nodeHandler(mcp))`, before or after a body parser. */
export function nodeHandler<Incoming extends NodeRequest = NodeRequest>(
  mcp: HttpHandler,
  principalOf: PrincipalOf<Incoming> = () => undefined,
): (request: Incoming, response: ServerResponse) => void {
  const answer = nodeAnswer(mcp);
  return (request, response) => {
    // Parsers of other types set a body, too, and leave the stream unread.
    const body = request.readableDidRead ? request.body : undefined;
    void answer(request, response, givenBy(request, principalOf, body));
  };
}

interface FastifyRequest {
  readonly raw: IncomingMessage;
  readonly body: unknown;
}

interface FastifyReply {
  readonly raw: ServerResponse;
  hijack(): unknown;
}

/** For fastify: `app.all('/mcp', fastifyHandler(mcp))`. */
export function fastifyHandler<Incoming extends FastifyRequest = FastifyRequest>(
  mcp: HttpHandler,
  principalOf: PrincipalOf<Incoming> = () => undefined,
): (request: Incoming, reply: FastifyReply) => Promise<void> {
  const answer = nodeAnswer(mcp);
  return async (request, reply) => {
    reply.hijack();
    await answer(request.raw, reply.raw, givenBy(request, principalOf, request.body ?? undefined));
  };
}

interface HonoContext {
  readonly req: { readonly raw: Request };
}

/** For hono: `app.all('/mcp', honoHandler(mcp))`. */
export function honoHandler<Context extends HonoContext = HonoContext>(
  mcp: HttpHandler,
  principalOf: PrincipalOf<Context> = () => undefined,
): (context: Context) => Promise<Response> {
  return (context) => mcp.fetch(context.req.raw, givenBy(context, principalOf));
}

/** The handler asks for the principal, so it also answers an error of `principalOf`. */
function givenBy<Incoming>(
  request: Incoming,
  principalOf: PrincipalOf<Incoming>,
  parsedBody?: unknown,
): GivenRequest {
  return {
    get principal() {
      return principalOf(request);
    },
    parsedBody,
  };
}

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

function nodeAnswer(mcp: HttpHandler) {
  const given = new WeakMap<object, GivenRequest>();
  let listener: Promise<Listener> | undefined;
  return async (request: IncomingMessage, response: ServerResponse, known: GivenRequest): Promise<void> => {
    given.set(request, known);
    // Loaded with the first request: a stdio server imports this file and never needs it.
    listener ??= import('@hono/node-server').then(({ getRequestListener }) =>
      getRequestListener((received, { incoming }) => mcp.fetch(received, given.get(incoming)), {
        overrideGlobalObjects: false,
      }),
    );
    await (
      await listener
    )(request, response);
  };
}
