const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** Private IPv4 and IPv6 addresses, and names that no public DNS has. */
const PRIVATE_NETWORK = [
  /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))(?:\.\d{1,3}){2,3}$/,
  /^\[f(?:[cd][\da-f]{2}|e[89ab][\da-f]):/,
  /^[\w-]+$/,
  /\.(?:local|lan|home|internal|intranet|home\.arpa|ts\.net)$/,
];

/** @param hostname of a `URL` */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** Whether it is in a private network, or this machine: what goes there unencrypted does not leave the network. @param hostname of a `URL` */
export function isPrivateHost(hostname: string): boolean {
  return isLoopbackHost(hostname) || PRIVATE_NETWORK.some((pattern) => pattern.test(hostname));
}
