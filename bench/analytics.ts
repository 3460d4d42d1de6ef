// `npm run bench -- analytics [market … | metros]`: how well price indexes carry a home's price to its next sale, and how well
// they are forecast.
import type { Config } from '../src/base/config.ts';
import { measureBands, printBands } from './analytics-bands.ts';
import { forecastMarket, measureMetroForecasts, printMarketForecasts } from './analytics-forecasts.ts';
import { measureLaterResales, measureResales, printResales } from './analytics-resales.ts';
import { hasRecords, withMarket } from './markets.ts';

const MARKETS = ['seattle', 'milwaukee', 'king-county', 'new-york', 'philadelphia'];

export async function run(args: string[], config: Config): Promise<void> {
  if (!hasRecords(config)) return console.log(`No records in ${config.recordsFolder}; nothing to measure.`);
  const bands: (string | number)[][] = [];
  const later: (string | number)[][] = [];
  const resales: (string | number)[][] = [];
  const forecasts: Parameters<typeof printMarketForecasts>[0] = new Map();
  for (const market of MARKETS.filter((name) => args.length === 0 || args.includes(name))) {
    const sales = await withMarket(config, market, async (loaded) => loaded.sales);
    resales.push(...measureResales(market, sales, config.recordsFolder));
    later.push(...measureLaterResales(market, sales, config.recordsFolder));
    bands.push(...measureBands(market, sales));
    forecastMarket(market, sales, forecasts);
  }
  if (resales.length > 0) printResales('homes that are tested take no part in any index', resales);
  if (later.length > 0) printResales('indexes from the sales before a day, resales of the half year after it', later);
  if (bands.length > 0) printBands(bands);
  if (forecasts.size > 0) printMarketForecasts(forecasts);
  if (args.length === 0 || args.includes('metros')) measureMetroForecasts(config.recordsFolder);
}
