// A local name server with configurable answers: for names that resolve to internal addresses, or change.
import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import { after } from 'node:test';

const TYPE_A = 1;
const TYPE_AAAA = 28;

export interface NameServer {
  /** For the setting DNS_SERVERS. */
  address: string;
  /** The IPs of each name, one list per A query; the last list repeats. */
  records: Record<string, string[][]>;
  /** Names asked for, one entry per A question. */
  asked: string[];
}

export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  const server: NameServer = { address: '', records: {}, asked: [] };
  const current = new Map<string, string[]>();
  socket.on('message', (query, peer) => {
    const { name, type, end } = readQuestion(query);
    const lists = server.records[name];
    if (type === TYPE_A && lists) {
      server.asked.push(name);
      current.set(name, lists.length > 1 ? lists.shift()! : lists[0]);
    }
    const version = type === TYPE_A ? 4 : type === TYPE_AAAA ? 6 : 0;
    const ips = (current.get(name) ?? lists?.[0] ?? []).filter((ip) => isIP(ip) === version);
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(lists ? 0x8580 : 0x8583, 2);
    header.writeUInt16BE(ips.length, 6);
    header.writeUInt32BE(0, 8);
    const answers = ips.map((ip) => {
      const data = version === 4 ? Buffer.from(ip.split('.').map(Number)) : bytesOfIpv6(ip);
      const head = Buffer.alloc(12);
      head.writeUInt16BE(0xc00c, 0);
      head.writeUInt16BE(type, 2);
      head.writeUInt16BE(1, 4);
      head.writeUInt16BE(data.length, 10);
      return Buffer.concat([head, data]);
    });
    socket.send(Buffer.concat([header, query.subarray(12, end), ...answers]), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  after(() => socket.close());
  server.address = `127.0.0.1:${socket.address().port}`;
  return server;
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (; query[at] > 0; at += query[at] + 1) labels.push(query.toString('latin1', at + 1, at + 1 + query[at]));
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function bytesOfIpv6(ip: string): Buffer {
  const [head, tail = ''] = ip.split('::');
  const parts = (text: string) => (text === '' ? [] : text.split(':').map((part) => parseInt(part, 16)));
  const [first, last] = [parts(head), parts(tail)];
  const all = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Buffer.from(all.flatMap((part) => [part >> 8, part & 255]));
}
