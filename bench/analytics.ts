// `npm run bench -- analytics [market …]`: how well price indexes carry a home's price to its next sale, and how well
// they are forecast.
import type { Config } from '../src/config.ts';
import { forecastMarket, measureMetroForecasts, printMarketForecasts } from './analytics-forecasts.ts';
import { measureResales, printResales } from './analytics-resales.ts';
import { hasRecords, withMarket } from './markets.ts';

const MARKETS = ['seattle', 'milwaukee', 'king-county', 'new-york', 'philadelphia'];

export async function run(args: string[], config: Config): Promise<void> {
  if (!hasRecords(config)) return console.log(`No records in ${config.recordsFolder}; nothing to measure.`);
  const resales: (string | number)[][] = [];
  const forecasts: Parameters<typeof printMarketForecasts>[0] = new Map();
  for (const market of MARKETS.filter((name) => args.length === 0 || args.includes(name))) {
    const sales = await withMarket(config, market, async (loaded) => loaded.sales);
    resales.push(...measureResales(market, sales, config.recordsFolder));
    forecastMarket(market, sales, forecasts);
  }
  printResales(resales);
  printMarketForecasts(forecasts);
  measureMetroForecasts(config.recordsFolder);
}
