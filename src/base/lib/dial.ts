// Where the program may connect on a customer's behalf: to the public internet only, unless the operator asked for
// more. The IP is checked when it is dialed, so neither unusual notation nor DNS rebinding reaches internal hosts.
import { lookup as systemLookup, promises as dns, type LookupAddress, type LookupOptions } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { isLoopback, isPublicIp } from './ips.ts';

const PORTS = new Set(['', '443', '8443']);
const INSIDE_NAMES = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|localdomain|arpa)\.?$/i;
const LOOPBACK_NAME = /^(.+\.)?localhost\.?$/i;
const DNS_TIMEOUT_MS = 3_000;
const DNS_TRIES = 2;

/** Targets allowed beyond the public internet: none, this machine, or any private network. */
export type PrivateTargets = 'none' | 'loopback' | 'any';

export interface DialPolicy {
  allow: PrivateTargets;
  /** `ip` or `ip:port`; none for the system's own resolver. */
  dnsServers?: readonly string[];
}

class RefusedTarget extends Error {}

/** Why a customer's URL is refused, or undefined. A host name is checked again when it is dialed. */
export function findUrlProblem(text: string, allow: PrivateTargets): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return 'is not a URL';
  // The URL parser has already turned 0x7f.1, 2130706433 and the like into dotted decimals.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isIp = isIP(host) !== 0;
  const isHere = isIp ? isLoopback(host) : LOOPBACK_NAME.test(host);
  const isInside = allow === 'any' || (allow === 'loopback' && isHere);
  if (url.protocol !== 'https:' && !(isInside && url.protocol === 'http:')) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a username or password';
  if (url.hash !== '') return 'must not have a fragment';
  if (isInside) return undefined;
  if (!PORTS.has(url.port)) return 'may use port 443 or 8443 only';
  if (isIp) return isPublicIp(host) ? undefined : 'must have a public IP';
  return INSIDE_NAMES.test(host) || !host.includes('.') ? 'must have a public host name' : undefined;
}

const mayDial = (ip: string, allow: PrivateTargets): boolean =>
  allow === 'any' || isPublicIp(ip) || (allow === 'loopback' && isLoopback(ip));

type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/** A `lookup` for sockets: the IPs checked here are the ones connected to. */
export function createLookup({ allow, dnsServers = [] }: DialPolicy): LookupFunction {
  const resolve: Resolve = dnsServers.length > 0 ? createResolver(dnsServers) : systemLookup;
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      if (found.length === 0 || found.some(({ address }) => !mayDial(address, allow)))
        return callback(new RefusedTarget(`${hostname} does not resolve to a public IP`), '', 0);
      if (options.all) return callback(null, found);
      return callback(null, found[0].address, found[0].family);
    });
  };
}

function createResolver(servers: readonly string[]): Resolve {
  const resolver = new dns.Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  resolver.setServers(servers);
  return (hostname, { family }, callback) => {
    const ask = async (version: 4 | 6): Promise<LookupAddress[]> => {
      if ((version === 4 && family === 6) || (version === 6 && family === 4)) return [];
      const ips = await (version === 4 ? resolver.resolve4(hostname) : resolver.resolve6(hostname));
      return ips.map((address) => ({ address, family: version }));
    };
    void Promise.allSettled([ask(4), ask(6)]).then((answers) => {
      const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      const failed = answers.find((answer) => answer.status === 'rejected');
      if (found.length === 0 && failed) return callback(failed.reason as NodeJS.ErrnoException, []);
      return callback(null, found);
    });
  };
}

export interface DialAgents {
  http: http.Agent;
  https: https.Agent;
}

/** Agents for every outgoing connection on a customer's behalf. */
export function createAgents(policy: DialPolicy, options: { keepAlive: boolean }): DialAgents {
  const lookup = createLookup(policy);
  const agents = { http: new http.Agent({ ...options, lookup }), https: new https.Agent({ ...options, lookup }) };
  for (const agent of Object.values(agents)) refuseLiterals(agent, policy.allow);
  return agents;
}

type Connect = (options: { host?: string | null }, callback?: (error: Error | null, stream: Duplex) => void) => unknown;

/** Sockets look up only names, so IP literals in the URL are checked here. */
function refuseLiterals(agent: { createConnection: unknown }, allow: PrivateTargets): void {
  const connect = (agent.createConnection as Connect).bind(agent);
  agent.createConnection = ((options, callback) => {
    const host = options.host ?? 'localhost';
    if (isIP(host) === 0 || mayDial(host, allow)) return connect(options, callback);
    callback?.(new RefusedTarget(`${host} is not a public IP`), undefined as unknown as Duplex);
    return undefined;
  }) satisfies Connect;
}
