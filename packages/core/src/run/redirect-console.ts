import { standardError } from './standard-streams.ts';

/**
 * stdout carries JSON-RPC and nothing else: what anybody prints on the console goes to stderr. The other console
 * is made when something is printed, since opening stderr costs milliseconds of every start.
 */
export function redirectConsole(): void {
  const { console } = globalThis;
  let redirected: Console | undefined;
  globalThis.console = new Proxy(console, {
    get(_, member) {
      redirected ??= new console.Console(standardError(), standardError());
      return Reflect.get(redirected, member);
    },
  });
}
