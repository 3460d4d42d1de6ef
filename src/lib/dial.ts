// Where the program may connect on a customer's behalf: public IPs only, checked at the moment of dialing, so that
// neither an unusual notation nor a hostname that changes its answer reaches the internal network.
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

const PORTS = new Set(['', '443', '8443']);
const INTERNAL_NAMES = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|localdomain)\.?$/i;

class RefusedIp extends Error {}

/** Unicast only: not private, loopback, link-local, carrier-grade NAT, mapped, translated or reserved. */
export function isPublicIp(ip: string): boolean {
  if (!ipaddr.isValid(ip)) return false;
  return ipaddr.parse(ip.split('%')[0]).range() === 'unicast';
}

/** Why a customer's URL is refused, or undefined. Its hostname is checked again when dialed. */
export function findUrlProblem(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return 'is not a URL';
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a username or password';
  if (url.hash !== '') return 'must not have a fragment';
  if (allowPrivate) return undefined;
  if (!PORTS.has(url.port)) return 'must use port 443 or 8443';
  // The URL parser has already turned 0x7f.1, 2130706433 and the like into plain IPs.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(host)) return isPublicIp(host) ? undefined : 'must be a public IP';
  if (INTERNAL_NAMES.test(host) || !host.includes('.')) return 'must be a public hostname';
  return undefined;
}

type Resolver = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** A `lookup` for sockets: the IP checked here is the one connected to. */
export function createLookup(allowPrivate: boolean, resolve: Resolver = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const internal = allowPrivate ? undefined : addresses.find(({ address }) => !isPublicIp(address));
      if (internal || addresses.length === 0)
        return callback(new RefusedIp(`${hostname} resolves to an IP that is not public`), '', 0);
      if (options.all) return callback(null, addresses);
      return callback(null, addresses[0].address, addresses[0].family);
    });
  };
}
