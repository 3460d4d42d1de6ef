// Inputs of the learned comparables: pairs of a home and a sale near it.
import type { Evidence } from './comparable-features.ts';
import type { CategoryFeature } from './features.ts';
import type { Neighbors } from './neighbors.ts';

/** A home is compared with the nearest sales of other homes, then with its own prior sales. */
export const NEAR_PEERS = 30;
const OWN_PEERS = 2;
export const PEERS = NEAR_PEERS + OWN_PEERS;

/** An attribute whose difference between two homes is an input. */
export type Trait = { column: number; isLog: boolean; median: number; scale: number };

export type PairShape = {
  traits: Trait[];
  /** Kinds of places with an indicator of whether both homes share one. */
  places: CategoryFeature[];
  /** Residuals are clipped at ± this, then divided by the scale. */
  clip: number;
  scale: number;
};

/** Inputs from the sales that may be peers, by sale. */
export type PeerData = {
  east: ArrayLike<number>;
  north: ArrayLike<number>;
  soldDay: ArrayLike<number>;
  residual: ArrayLike<number>;
  detrended: ArrayLike<number>;
  /** `traits.length` numbers per sale. */
  traits: Float32Array;
  /** `places.length` numbers per sale; −1 where unknown. */
  places: Int32Array;
};

/** Inputs from the home itself. */
export type PairSubject = {
  east: number;
  north: number;
  day: number;
  traits: ArrayLike<number>;
  places: ArrayLike<number>;
};

/** Sales that a home is compared with, −1 where there are fewer, and their distances. */
export type Peers = { sale: ArrayLike<number>; km: ArrayLike<number> };

const PAIR_BASICS = 6;
const OWN_FLAGS = 3;
const RESIDUAL_FORMS = 3;

export const pairInputs = ({ traits, places }: Pick<PairShape, 'traits' | 'places'>): number =>
  PAIR_BASICS + 2 * traits.length + places.length + OWN_FLAGS + RESIDUAL_FORMS;

/** Position of the residual among a pair's inputs. */
export const residualAt = (shape: PairShape): number => pairInputs(shape) - RESIDUAL_FORMS;

/** Traits are squashed: beyond about three scales they grow ever more slowly, which limits outliers. */
const SQUASH = 3;

export function writeTraits(traits: Trait[], row: ArrayLike<number>, from: number, out: Float32Array, at: number) {
  for (let k = 0; k < traits.length; k++) {
    const { column, isLog, median, scale } = traits[k];
    const value = row[from + column];
    if (isLog) {
      out[at + k] = (Math.log(Math.max(1, value)) - median) / scale;
    } else {
      const z = (value - median) / scale;
      out[at + k] = z / Math.sqrt(1 + (z / SQUASH) ** 2);
    }
  }
}

/** Where to write pairs: rows of `width` numbers, from row `first` on. */
export type PairTarget = { pairs: Float32Array; width: number; first: number; shape: PairShape };

/** Writes the differences between a home and its peers; −1 means no peer. */
export function writePairs(
  { pairs, width, first, shape }: PairTarget,
  subject: PairSubject,
  data: PeerData,
  peers: Peers,
): void {
  const { traits, places, clip, scale } = shape;
  for (let p = 0; p < PEERS; p++) {
    let at = (first + p) * width;
    const end = at + width;
    const sale = peers.sale[p];
    if (sale < 0) {
      pairs.fill(0, at, end);
      continue;
    }
    const age = (subject.day - data.soldDay[sale]) / 365;
    const isOwn = p >= NEAR_PEERS ? 1 : 0;
    const distance = peers.km[p];
    pairs[at++] = Math.log(distance + 0.03);
    pairs[at++] = Math.min(distance, 5) / 2;
    pairs[at++] = Math.abs(age);
    pairs[at++] = age;
    pairs[at++] = within3(subject.east - data.east[sale]);
    pairs[at++] = within3(subject.north - data.north[sale]);
    const own = sale * traits.length;
    for (let k = 0; k < traits.length; k++) {
      const difference = subject.traits[k] - data.traits[own + k];
      // A missing value on either side counts as zero difference.
      pairs[at] = difference === difference ? difference : 0;
      pairs[at + traits.length] = Math.abs(pairs[at]);
      at++;
    }
    at += traits.length;
    for (let k = 0; k < places.length; k++)
      pairs[at++] = subject.places[k] >= 0 && subject.places[k] === data.places[sale * places.length + k] ? 1 : 0;
    pairs[at++] = isOwn;
    pairs[at++] = isOwn * age;
    pairs[at++] = isOwn * (age < 1 ? 1 : 0);
    const residual = Math.max(-clip, Math.min(clip, data.residual[sale])) / scale;
    pairs[at++] = residual;
    pairs[at++] = Math.abs(residual);
    pairs[at++] = residual * residual;
    while (at < end) pairs[at++] = 0;
  }
}

const within3 = (km: number): number => (km === km ? Math.max(-3, Math.min(3, km)) : 0);

/** The home's peers: the nearest neighbors, then its own latest sales known before the day. */
export function findPeers(
  evidence: Pick<Evidence, 'soldDay' | 'knownDay' | 'saleBefore'>,
  neighbors: Neighbors,
  { lastOwn, day }: { lastOwn: number; day: number },
): { sale: Int32Array; km: Float32Array } {
  const sale = new Int32Array(PEERS).fill(-1);
  const km = new Float32Array(PEERS);
  sale.set(neighbors.sale.subarray(0, NEAR_PEERS));
  km.set(neighbors.km.subarray(0, NEAR_PEERS));
  let at = NEAR_PEERS;
  for (let own = lastOwn; own >= 0 && at < PEERS; own = evidence.saleBefore[own])
    if (evidence.knownDay[own] < day && evidence.soldDay[own] < day) sale[at++] = own;
  return { sale, km };
}
