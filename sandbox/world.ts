// The whole sandbox in memory from one seed: every property with its history and layers, and the maps. Pure and
// deterministic.
import { areasAt, drawFloodZones, drawNeighborhoods, drawTracts, type Area } from './land/areas.ts';
import { drawRoads, drawWater, type MapLine, type Water } from './land/roads.ts';
import { drawZips, type ZipArea } from './land/zips.ts';
import { assess } from './assessments.ts';
import { surveyTracts, type OpportunityZone, type Tract } from './census.ts';
import { correctionOf } from './corrections.ts';
import type { Estate } from './estate.ts';
import { scaleFor } from './geography.ts';
import type { Home } from './homes.ts';
import { layersOf } from './layers.ts';
import { forget, settleMagic } from './magic.ts';
import { settle } from './parcels.ts';
import { randomFor } from './random.ts';
import { live } from './sales.ts';
import { disagreementOn } from './survey.ts';
import { storyOf } from './title-stories.ts';

export type World = {
  scale: number;
  estates: Estate[];
  tractAreas: Area[];
  tracts: Tract[];
  zones: OpportunityZone[];
  neighborhoods: Area[];
  floodZones: Record<'may' | 'june', Area[]>;
  zips: ZipArea[];
  roads: MapLine[];
  water: Water[];
};

/** Homes that are placed by hand. Part of the layout: another number would move every other home a little. */
const MAGIC_COUNT = 31;

export function generateWorld(properties: number, onHome: (done: number) => void = () => {}): World {
  const scale = scaleFor(properties);
  const tractAreas = drawTracts(scale);
  const magic = settleMagic(scale);
  const plain = settle(properties - MAGIC_COUNT).map(
    (home) => ({ home, saleDays: undefined, listed: 'always' }) as const,
  );
  const estates = [...magic, ...plain].map(({ home, saleDays, listed }, index): Estate => {
    if (index % 1000 === 0) onHome(index);
    const life = storyOf(home) ?? live(home, saleDays);
    const { assessments, taxes } = assess(home, life);
    const tracts = areasAt(tractAreas, home);
    const tract2020 = tracts.find(({ vintage }) => vintage === 2020)?.id ?? null;
    return {
      home,
      listed,
      life,
      assessments,
      taxes,
      layers: layersOf(home, taxes),
      tract2020,
      tract2010: tracts.find(({ vintage }) => vintage === 2010)?.id ?? null,
      blockGroup:
        tract2020 && `${tract2020}${1 + (home.y > home.district.y ? 1 : 0) + (home.x > home.district.x ? 1 : 0)}`,
      disagreement: disagreementOn(home),
      correction: {},
    };
  });
  const { tracts, zones } = surveyTracts(estates, tractAreas);
  for (const [index, estate] of estates.entries()) {
    forget(estate.home);
    if (index >= magic.length) loseFields(estate.home);
    estate.correction = correctionOf(estate.home, estate.assessments);
  }
  return {
    scale,
    estates,
    tractAreas,
    tracts,
    zones,
    neighborhoods: drawNeighborhoods(scale),
    floodZones: { may: drawFloodZones(scale, 'may'), june: drawFloodZones(scale, 'june') },
    zips: drawZips(scale),
    roads: drawRoads(scale),
    water: drawWater(scale),
  };
}

/** No roll is complete: a few facts about a few homes are unknown, though buyers knew them. */
function loseFields(home: Home): void {
  if (home.sqft === null) return;
  const random = randomFor('gaps', home.id);
  if (random.chance(0.004)) home.sqft = null;
  if (random.chance(0.015)) home.bedrooms = null;
  if (random.chance(0.012)) [home.bathsFull, home.bathsHalf] = [null, null];
  if (random.chance(0.007)) [home.yearBuilt, home.effectiveYearBuilt] = [null, null];
  if (random.chance(0.04)) home.condition = null;
  if (random.chance(0.02)) home.quality = null;
  if (random.chance(0.05)) home.rooms = null;
}
