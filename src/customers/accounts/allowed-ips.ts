// A key's allowlist of IPs and CIDR blocks: whether a caller is on it, and whether one list lies within another.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { blockListOf, isIpOrBlock } from '../../base/lib/ips.ts';

export function isAllowedIp(ip: string, allowed: string[]): boolean {
  if (allowed.length === 0) return true;
  const plain = ip.replace(/^::ffff:/, '');
  return blockListOf(allowed).check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

/** A zone index names an interface of one machine and is meaningless here. */
export const isAllowable = (entry: string): boolean => isIpOrBlock(entry) && !entry.includes('%');

/** Whether every caller that `inner` allows is allowed by one entry of `outer`. An empty list allows everyone. */
export function isWithin(inner: string[], outer: string[]): boolean {
  if (outer.length === 0) return true;
  const blocks = outer.map(readBlock);
  return inner.length > 0 && inner.map(readBlock).every((block) => blocks.some((wide) => holds(wide, block)));
}

type Block = [ip: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

function readBlock(entry: string): Block {
  const [text, bits] = entry.split('/');
  const ip = ipaddr.parse(text);
  const width = bits === undefined ? ip.toByteArray().length * 8 : Number(bits);
  // A mapped IPv4 block is the IPv4 block.
  return ip instanceof ipaddr.IPv6 && ip.isIPv4MappedAddress() && width >= 96
    ? [ip.toIPv4Address(), width - 96]
    : [ip, width];
}

const holds = ([wide, wideBits]: Block, [ip, bits]: Block): boolean =>
  wide.kind() === ip.kind() && bits >= wideBits && ip.match(wide, wideBits);
