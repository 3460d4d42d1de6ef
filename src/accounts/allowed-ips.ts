// Whether a caller's IP address is on a key's allow-list of addresses and CIDR blocks.
import { BlockList, isIP } from 'node:net';

export function isAllowedAddress(address: string, allowed: string[]): boolean {
  if (allowed.length === 0) return true;
  const plain = address.replace(/^::ffff:/, '');
  const list = new BlockList();
  for (const entry of allowed) addEntry(list, entry);
  return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

export function isAddressOrBlock(entry: string): boolean {
  const [address, bits, ...rest] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function addEntry(list: BlockList, entry: string): void {
  const [address, bits] = entry.split('/');
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(bits), family);
}
