// Invented words for streets, people, companies and lenders, built from syllables so that no name is a real one.
import type { Random } from './random.ts';

const STREET_WORDS = (
  'Juniper Thistle Marlow Marlowe Heron Herron Alder Alderbrook Larkspur Tamarack Sorrel Gannet Plover Curlew Beacon ' +
  'Lantern Cooper Chandler Tallow Anchor Mizzen Halyard Capstan Sable Umber Russet Saffron Indigo Cobalt Quarry Granite ' +
  'Flint Slate Limestone Kestrel Merlin Osprey Fulmar Petrel Tern Sandpiper Bittern Wren Linnet Swift Hazel Rowan Aspen ' +
  'Hawthorn Hawthorne Bramble Bracken Fern Sedge Clover Yarrow Tansy Mallow Foxglove Primrose Violet Lilac Magnolia ' +
  'Chestnut Walnut Hickory Linden Sycamore Poplar Willow Laurel Myrtle Holly Ivy Orchard Vineyard Meadow Prairie Copse ' +
  'Thicket Spinney Hollow Dell Ridge Summit Crest Bluff Cliff Terrace Harbor Ferry Tidal Lagoon Cove Inlet Channel Shoal ' +
  'Drift Pebble Cinder Ember Forge Anvil Bellows Mill Granary Barley Oat Rye Millet Flax Hemp Wool Loom Spindle Bobbin ' +
  'Needle Thimble Button Ribbon Velvet Linen Cotton Silk Amber Jasper Opal Garnet Topaz Beryl Onyx Agate Coral Pearl'
).split(' ');
const COMPOUND_HEADS =
  'Fern Thorn Brook Wind Fox Elm Stone Oak Ash Otter Hart Moss Birch Finch Raven Cloud Frost Rain'.split(' ');
const COMPOUND_TAILS = 'hollow dale wick mere field crest haven gate ford wood view shade leigh moor brook'.split(' ');

/** A place's street names without repeats: plain words first, then compounds (`Fernhollow`, sometimes `Fern
    Hollow`). */
export function streetNames(random: Random, count: number): string[] {
  const names = new Set<string>();
  while (names.size < count) {
    if (names.size < STREET_WORDS.length * 0.4) names.add(random.pick(STREET_WORDS));
    else {
      const [head, tail] = [random.pick(COMPOUND_HEADS), random.pick(COMPOUND_TAILS)];
      names.add(random.chance(0.2) ? `${head} ${tail[0].toUpperCase()}${tail.slice(1)}` : `${head}${tail}`);
    }
  }
  return [...names];
}

const GIVEN = (
  'Avelyn Torben Misha Quillon Odessa Brannor Celwyn Davrin Elspet Farrow Gwendal Hestor Ilvane Jorah Kestra Lorcan ' +
  'Merrit Neveah Orlan Pellam Quenby Rhosyn Sorrel Tamsel Ulric Vesper Wrenna Xandor Yorrick Zelda Arden Bettany Corvin ' +
  'Delphin Emeric Fenella Galen Honora Isolde Jessamy Kerensa Leofric Mabry Nerys Osric Perrin Rowena Silvan Thessaly'
).split(' ');
const SURNAME_HEADS = (
  'Quend Mar Thorn Vel Ossel Harg Brax Cald Dren Eld Farn Grint Hollow Ister Jarv Kell Lorn Mord Nesk Orm Pell Rusk ' +
  'Strand Tarn Uld Varn Wick Yarn Zell Ambler Bexl Crandl'
).split(' ');
const SURNAME_TAILS =
  'erby wickson ovar inholt amere ington orrin estad ulver ander ithwaite ockley umble erdale isk ovane'.split(' ');
const COMPANY_HEADS =
  'Blue Gannet|Tidewrack|Ninefold|Copper Heron|Longshore|Redquay|Islefield|Saltmarsh|Greywater|Quill & Moor|Stonecrop|Ferrow'.split(
    '|',
  );
const COMPANY_TAILS = [
  'Holdings LLC',
  'Homes LLC',
  'Properties LLC',
  'Realty Partners LP',
  'Investments Inc',
  'Rentals LLC',
];
const BUILDERS = ['Ossian Homes Inc', 'Lanternfield Builders LLC', 'Saltbox Communities LLC'];
const LENDERS = [
  'Bank of Ellowby',
  'Wendemere Savings Bank',
  'Quillmoor Mutual Credit Union',
  'Lighthouse Home Loans Inc',
  'Island Federal Mortgage',
  'Harbor & Hearth Lending LLC',
  'First Fictional Bank',
];

export function surname(random: Random): string {
  return random.pick(SURNAME_HEADS) + random.pick(SURNAME_TAILS);
}

export function people(random: Random, family = surname(random)): string[] {
  const first = `${random.pick(GIVEN)} ${family}`;
  if (random.chance(0.48)) return [first];
  const partner = `${random.pick(GIVEN)} ${random.chance(0.85) ? family : surname(random)}`;
  return partner === first ? [first] : [first, partner];
}

export function trustOf(family: string, random: Random): string {
  return random.pick([`${family} Family Trust`, `The ${family} Living Trust`, `${family} Revocable Trust`]);
}

export function company(random: Random): string {
  const head = random.pick(COMPANY_HEADS);
  return random.chance(0.35) ? `${head} ${random.whole(2, 40)} LLC` : `${head} ${random.pick(COMPANY_TAILS)}`;
}

export const lender = (random: Random): string => random.pick(LENDERS);
export const builder = (random: Random): string => random.pick(BUILDERS);
