// The island's natural hazards by tract, with the fields of the National Risk Index: wind and water near the coast, a few
// other hazards at random, and none that an island in the Atlantic cannot have.
import type { MadeRecord } from '../src/supply/ingest/source.ts';
import { randomFor, type Random } from './random.ts';
import type { World } from './world.ts';

const RATINGS = ['Very Low', 'Relatively Low', 'Relatively Moderate', 'Relatively High', 'Very High'];
/** Hazards with how grave they are on the island, from 0 to 4; undefined where they cannot happen. */
const HAZARDS: Record<string, number | undefined> = {
  avalanche: undefined,
  coastal_flooding: 2.4,
  cold_wave: 0.5,
  drought: 0.8,
  earthquake: 0.3,
  hail: 1.2,
  heat_wave: 1,
  hurricane: 3,
  ice_storm: 0.6,
  landslide: 0.9,
  lightning: 1.6,
  river_flooding: 1.8,
  strong_wind: 2.2,
  tornado: 0.4,
  tsunami: 0.2,
  volcanic_activity: undefined,
  wildfire: 1.1,
  winter_weather: 0.7,
};

const ratingAt = (grade: number) => RATINGS[Math.max(0, Math.min(RATINGS.length - 1, Math.floor(grade)))];
const rate = (usual: number | undefined, random: Random) =>
  usual === undefined ? 'Not Applicable' : ratingAt(usual + random.normal(0, 0.7));

export function hazardsOf({ tracts }: World): MadeRecord[] {
  return tracts
    .filter(({ vintage }) => vintage === 2020)
    .map(({ geoid, housingUnits, medianHomeValue }): MadeRecord => {
      const random = randomFor('hazards', geoid);
      const score = Math.round(random.between(4, 99) * 100) / 100;
      const lossRate = Math.round((0.0002 + 0.0018 * (score / 100) ** 2) * 1e8) / 1e8;
      const buildings = housingUnits * (medianHomeValue ?? 200_000);
      return {
        into: 'layer_values',
        fields: {
          tract: geoid,
          risk_score: score,
          risk_rating: ratingAt(score / 20),
          building_loss_rate: lossRate,
          tract_expected_annual_loss: Math.round(buildings * lossRate * 1.4),
          loss_rating: ratingAt(score / 20 + random.normal(0, 0.4)),
          social_vulnerability: ratingAt(random.between(0, 5)),
          community_resilience: ratingAt(random.between(1, 5)),
          ...Object.fromEntries(Object.entries(HAZARDS).map(([name, usual]) => [name, rate(usual, random)])),
        },
      };
    });
}
