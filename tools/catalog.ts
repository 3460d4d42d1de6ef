// `node tools/catalog.ts <copy of OpenAddresses> <its day>`: writes the list of layers that comes with the program.
import { writeFileSync } from 'node:fs';
import { SHIPPED_LAYERS } from '../src/supply/catalog/catalog.ts';
import { makeLayers } from '../src/operate/counties/update-catalog.ts';

const [path, day] = process.argv.slice(2);
if (!path || !/^\d{4}-\d{2}-\d{2}$/.test(day ?? ''))
  throw new Error('Usage: node tools/catalog.ts <folder or ZIP> 2026-08-22');
writeFileSync(SHIPPED_LAYERS, await makeLayers(path, day));
