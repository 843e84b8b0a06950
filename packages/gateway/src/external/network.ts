import http from 'node:http';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** A proxy reaches no other program of this machine. */
const HERE = 'localhost,127.0.0.1,::1,[::1]';
let isUsed = false;

/**
 * From the first call on, requests of this process go through the proxy that the environment names, and trust the authorities of
 * the system, too. Node.js before 24.14 knows no such proxy, and before 22.19 no such authorities.
 */
export function useNetworkOf(env: Readonly<Record<string, string | undefined>>): void {
  if (isUsed) return;
  isUsed = true;
  const has = (name: string) => Boolean(env[name] ?? env[name.toLowerCase()]);
  if (has('HTTPS_PROXY') || has('HTTP_PROXY')) {
    const none = `${env['NO_PROXY'] ?? env['no_proxy'] ?? ''},${HERE}`;
    const use: unknown = Reflect.get(http, 'setGlobalProxyFromEnv');
    if (typeof use === 'function') use({ ...env, NO_PROXY: none, no_proxy: none });
  }
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- not in every Node.js that is supported
  setDefaultCACertificates?.([...getCACertificates('default'), ...getCACertificates('system')]);
}
