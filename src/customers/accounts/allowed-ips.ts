// A key's allowlist of IPs and CIDR blocks: whether a caller is on it, and whether one list lies within another.
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export function isAllowedIp(ip: string, allowed: string[]): boolean {
  if (allowed.length === 0) return true;
  const plain = ip.replace(/^::ffff:/, '');
  const list = new BlockList();
  for (const entry of allowed) addEntry(list, entry);
  return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

export function isIpOrBlock(entry: string): boolean {
  const [ip, bits, ...rest] = entry.split('/');
  const version = isIP(ip);
  // A zone index names an interface of one machine, so it means nothing here.
  if (version === 0 || ip.includes('%') || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

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

function addEntry(list: BlockList, entry: string): void {
  const [ip, bits] = entry.split('/');
  const family = isIP(ip) === 6 ? 'ipv6' : 'ipv4';
  if (bits === undefined) list.addAddress(ip, family);
  else list.addSubnet(ip, Number(bits), family);
}
