// The whole sandbox in memory from one seed: every property with its history, layers and changes. Pure and
// deterministic.
import { areasAt, drawAreas, type Area } from './land/areas.ts';
import { drawRoads, drawWater, type MapLine, type Water } from './land/roads.ts';
import { drawZips, type ZipArea } from './land/zips.ts';
import { assess } from './assessments.ts';
import { surveyTracts, type OpportunityZone, type Tract } from './census.ts';
import { changesOf } from './changes.ts';
import type { Estate, Lineage } from './estate.ts';
import { MAGIC_APN, sandboxId } from '../fixtures.ts';
import { scaleFor, WENDEMERE } from '../geography.ts';
import type { Home } from './homes.ts';
import { stampLayers } from './layers.ts';
import { forget, MAGIC_COUNT, settleMagic } from './magic.ts';
import { settle } from './parcels.ts';
import { provenanceOf } from './provenance.ts';
import { randomFor } from './random.ts';
import { live } from './sales.ts';
import { storyOf } from './title-stories.ts';

export type World = {
  scale: number;
  estates: Estate[];
  areas: Area[];
  zips: ZipArea[];
  roads: MapLine[];
  water: Water[];
  tracts: Tract[];
  zones: OpportunityZone[];
  lineage: Lineage[];
};

export const SUPPRESSED_OWNER_OF = sandboxId(WENDEMERE, MAGIC_APN.ownerHidden);
const SUPERSEDED_ON = '2026-06-11';

export function generateWorld(properties: number, onHome: (done: number) => void = () => {}): World {
  const scale = scaleFor(properties);
  const areas = drawAreas(scale);
  const flood = areas.filter(({ kind }) => kind === 'flood').sort((a, b) => b.rank - a.rank);
  const tractAreas = areas.filter(({ kind }) => kind === 'census_tract');
  const magic = settleMagic(scale);
  const plain = settle(properties - MAGIC_COUNT).map((home) => ({ home, saleDays: undefined, isRetired: false }));
  const estates = [...magic, ...plain].map(({ home, saleDays, isRetired }, index): Estate => {
    if (index % 1000 === 0) onHome(index);
    const life = storyOf(home) ?? live(home, saleDays);
    const { assessments, taxes } = assess(home, life);
    const layers = stampLayers(home, flood, taxes);
    const tracts = areasAt(tractAreas, home);
    const tract2020 = tracts.find(({ vintage }) => vintage === 2020)?.id ?? null;
    return {
      home,
      isRetired,
      life,
      assessments,
      taxes,
      layers,
      tract2020,
      tract2010: tracts.find(({ vintage }) => vintage === 2010)?.id ?? null,
      blockGroup:
        tract2020 && `${tract2020}${1 + (home.y > home.district.y ? 1 : 0) + (home.x > home.district.x ? 1 : 0)}`,
      isOpportunityZone: false,
      provenance: provenanceOf(home),
      changes: [],
    };
  });
  const { tracts, zones } = surveyTracts(estates, tractAreas);
  const designated = new Set(zones.map(({ geoid }) => geoid));
  const lineage = lineageOf();
  for (const [index, estate] of estates.entries()) {
    estate.isOpportunityZone = estate.tract2010 !== null && designated.has(estate.tract2010);
    forget(estate.home);
    if (index >= magic.length) loseFields(estate.home);
    estate.changes = changesOf(estate, lineage);
  }
  return {
    scale,
    estates,
    areas,
    zips: drawZips(scale),
    roads: drawRoads(scale),
    water: drawWater(scale),
    tracts,
    zones,
    lineage,
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

function lineageOf(): Lineage[] {
  const link = (from: string, to: string, kind: Lineage['kind']): Lineage => ({
    propertyId: sandboxId(WENDEMERE, from),
    successorId: sandboxId(WENDEMERE, to),
    kind,
    happenedOn: SUPERSEDED_ON,
  });
  return [
    link(MAGIC_APN.split, MAGIC_APN.splitFirst, 'split'),
    link(MAGIC_APN.split, MAGIC_APN.splitSecond, 'split'),
    link(MAGIC_APN.merged, MAGIC_APN.mergedInto, 'merged'),
  ];
}
