// Who owns a home: invented people, trusts, companies and public bodies, and their mailing addresses.
import type { PropertyType } from './land/district.ts';
import { STATE } from '../src/supply/sandbox/geography.ts';
import type { Home } from './homes.ts';
import { company, people, surname, trustOf } from './names.ts';
import type { Random } from './random.ts';

type OwnerType = 'individual' | 'trust' | 'company' | 'government' | 'nonprofit';
export type Owner = { names: string[]; type: OwnerType; isOccupant: boolean; mailingAddress: string };

const COMPANY_SHARE: Record<PropertyType, number> = {
  single_family: 0.07,
  condo: 0.12,
  townhouse: 0.09,
  multi_family: 0.3,
  apartment: 0.93,
  manufactured: 0.04,
  land: 0.28,
  commercial: 0.82,
  other: 0.2,
};
const MAIL_STREETS = ['Beacon St', 'Tallow Ave', 'Capstan Way', 'Mill Rd', 'Sable Pl'];
const MAIL_CITIES = [
  'Port Ellowby, ZZ 00101',
  'Tamsin Landing, ZZ 00112',
  'Quillmoor, ZZ 00121',
  'Meridian Cross, ZZ 00124',
];

function formatAddress(home: Pick<Home, 'line1' | 'unit' | 'district'>): string {
  return `${home.line1}${home.unit ? ` ${home.unit}` : ''}, ${home.district.city}, ${STATE} ${home.district.zip}`;
}

export function chooseOwner(home: Home, random: Random): Owner {
  if (home.type === 'other') return publicOwner(home, random);
  if (random.chance(COMPANY_SHARE[home.type])) return companyOwner(random);
  const family = surname(random);
  const isTrust = random.chance(0.09);
  const names = isTrust ? [trustOf(family, random)] : people(random, family);
  const canLive = home.type !== 'land' && home.type !== 'commercial' && home.type !== 'apartment';
  const isOccupant =
    canLive && random.chance(home.district.ownerOccupied * (home.type === 'multi_family' ? 0.7 : 1.05));
  return {
    names,
    type: isTrust ? 'trust' : 'individual',
    isOccupant,
    mailingAddress: isOccupant ? formatAddress(home) : elsewhere(random),
  };
}

export function companyOwner(random: Random, name = company(random)): Owner {
  return { names: [name], type: 'company', isOccupant: false, mailingAddress: elsewhere(random) };
}

/** The same household under a new name: a trust, or the next generation. */
export function successor(owner: Owner, random: Random): { owner: Owner; isTrust: boolean } {
  const family = owner.names[0].split(' ').at(-1)!;
  const isTrust = owner.type === 'individual' && random.chance(0.45);
  const names = isTrust ? [trustOf(family, random)] : people(random, owner.type === 'individual' ? family : undefined);
  return { owner: { ...owner, names, type: isTrust ? 'trust' : 'individual' }, isTrust };
}

function publicOwner(home: Home, random: Random): Owner {
  const isPublic = random.chance(0.55);
  const name = isPublic
    ? random.pick([`City of ${home.district.city}`, 'Island Water District', 'Unified School District 7'])
    : random.pick([
        'Gull Rock Fellowship',
        'Lantern Hill Historical Society',
        'Wayfarers Lodge No 9',
        'Community Land Trust of the Isle',
      ]);
  return {
    names: [name],
    type: isPublic ? 'government' : 'nonprofit',
    isOccupant: false,
    mailingAddress: elsewhere(random),
  };
}

function elsewhere(random: Random): string {
  const line = random.chance(0.35)
    ? `PO Box ${random.whole(10, 4999)}`
    : `${random.whole(10, 980)} ${random.pick(MAIL_STREETS)} Ste ${random.whole(100, 990)}`;
  return `${line}, ${random.pick(MAIL_CITIES)}`;
}
