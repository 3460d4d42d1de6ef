// Where the program may connect on a customer's behalf: public addresses only, decided at the moment of dialling, so
// that neither a strange way to write an address nor a name that changes its answer leads inside.
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

const PORTS = new Set(['', '443', '8443']);
const INSIDE_NAMES = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|localdomain)\.?$/i;

class RefusedAddress extends Error {}

/** Unicast and nothing else: not private, loopback, link-local, carrier-grade NAT, mapped, translated or reserved. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return ipaddr.parse(address.split('%')[0]).range() === 'unicast';
}

/** Why an address given by a customer is refused, or undefined. The names in it are judged again when dialled. */
export function findUrlProblem(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return 'is not a URL';
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  if (url.hash !== '') return 'must not have a fragment';
  if (allowPrivate) return undefined;
  if (!PORTS.has(url.port)) return 'may use port 443 or 8443 only';
  // The URL parser has already turned 0x7f.1, 2130706433 and the like into plain addresses.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(host)) return isPublicAddress(host) ? undefined : 'must be a public address';
  if (INSIDE_NAMES.test(host) || !host.includes('.')) return 'must be a public name';
  return undefined;
}

type Resolver = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** A `lookup` for sockets: the address that is checked here is the address that is connected to. */
export function createLookup(allowPrivate: boolean, resolve: Resolver = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const inside = allowPrivate ? undefined : addresses.find(({ address }) => !isPublicAddress(address));
      if (inside || addresses.length === 0)
        return callback(new RefusedAddress(`${hostname} leads to an address that is not public`), '', 0);
      if (options.all) return callback(null, addresses);
      return callback(null, addresses[0].address, addresses[0].family);
    });
  };
}
