// IPs: canonical form, range checks, and sets of IPs and CIDR blocks.
import { BlockList, isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Sentinel for an invalid IP reported by a proxy. It is in no allow-list and never counts as this machine. */
const UNKNOWN_IP = '0.0.0.0';

const MAPPED = '::ffff:';

/** The canonical form of an IP: IPv4-mapped IPv6 becomes IPv4, no zone, no port; UNKNOWN_IP if invalid. */
export function canonicalIp(text: string | undefined): string {
  // Fast path for nearly all requests: plain IPv4, or IPv4-mapped as a dual-stack socket reports it.
  const plain = text?.startsWith(MAPPED) ? text.slice(MAPPED.length) : text;
  if (plain !== undefined && isIPv4(plain)) return plain;
  const bare = withoutPort(text?.trim() ?? '').split('%')[0];
  return isIP(bare) === 0 ? UNKNOWN_IP : ipaddr.process(bare).toString();
}

/** Some proxies report `1.2.3.4:5678` or `[::1]:5678`. */
function withoutPort(text: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

export function isLoopback(ip: string): boolean {
  return isIPv4(ip) ? ip.startsWith('127.') : isIP(ip) !== 0 && ipaddr.process(ip).range() === 'loopback';
}

const IPV6_GLOBAL = ipaddr.parseCIDR('2000::/3');
const ISATAP_MARK = 0x5efe;

/** Whether an IP belongs to the public internet. IPv6 must be global unicast and must not embed an IPv4 (mapped,
    compatible, NAT64, 6to4, Teredo, ISATAP), which a gateway could unwrap. */
export function isPublicIp(text: string): boolean {
  const bare = text.split('%')[0];
  if (isIP(bare) === 0) return false;
  const ip = ipaddr.parse(bare);
  if (ip.range() !== 'unicast') return false;
  if (ip.kind() === 'ipv4') return true;
  const { parts } = ip as ipaddr.IPv6;
  const isIsatap = parts[5] === ISATAP_MARK && (parts[4] & 0xfdff) === 0;
  return ip.match(IPV6_GLOBAL) && !isIsatap;
}

export function isIpOrBlock(entry: string): boolean {
  const [ip, bits, ...rest] = entry.split('/');
  const version = isIP(ip);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

export function blockListOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [ip, bits] = entry.split('/');
    const family = isIP(ip) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(ip, family);
    else list.addSubnet(ip, Number(bits), family);
  }
  return list;
}

/** Tests whether an IP equals an entry or is in a CIDR block. */
export function createIpSet(entries: readonly string[]): (ip: string) => boolean {
  const list = blockListOf(entries);
  return (ip) => {
    const canonical = canonicalIp(ip);
    return canonical !== UNKNOWN_IP && list.check(canonical, isIP(canonical) === 6 ? 'ipv6' : 'ipv4');
  };
}

/** The subject of a per-IP limit: an IPv4, or the /64 of an IPv6, since a customer has at least a /64. */
export function networkOf(ip: string): string {
  if (isIP(ip) !== 6) return ip;
  const { parts } = ipaddr.parse(ip) as ipaddr.IPv6;
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
