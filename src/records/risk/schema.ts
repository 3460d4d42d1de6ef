// The shapes of a risk report: six layers, each with a status that distinguishes "none" from "unknown".
import Type, { type Static, type TProperties } from 'typebox';
import { decimal, instant, isoDay, list, nullable, oneOf, text, wholeNumber } from '../../base/lib/schema.ts';
import { type PropertyRow } from '../properties/sql.ts';

export const LAYERS = ['flood', 'tax_liens', 'permits', 'code_violations', 'census', 'opportunity_zone'] as const;
export type LayerName = (typeof LAYERS)[number];
export const RISK_STATUSES = ['found', 'none_found', 'not_covered', 'temporarily_unavailable'] as const;

const words = (maxLength = 300) => nullable(text(maxLength));
const whole = () => nullable(wholeNumber());
const rate = () => nullable(decimal({ description: 'Fraction from 0 to 1.' }));
const day = () => nullable(isoDay());

const LayerSource = Type.Object(
  {
    id: text(80),
    name: text(300),
    url: words(500),
    licence: text(300),
    attribution: text(500),
    published_at: day(),
    loaded_at: instant(),
    covers_from: day(),
    covers_to: day(),
  },
  { title: 'LayerSource' },
);

const layer = <Members extends TProperties>(title: string, description: string, members: Members) =>
  Type.Object({ status: oneOf(RISK_STATUSES), source: nullable(LayerSource), ...members }, { title, description });

export const Lien = Type.Object(
  {
    type: text(100),
    amount: whole(),
    tax_year: whole(),
    filing_date: day(),
    status: oneOf(['open', 'released', 'sold', 'unknown']),
    release_date: day(),
    document_number: words(80),
  },
  { title: 'TaxLien' },
);

export const Permit = Type.Object(
  {
    number: words(80),
    type: words(),
    description: words(4_000),
    status: words(100),
    issue_date: day(),
    final_date: day(),
    job_value: whole(),
  },
  { title: 'Permit' },
);

export const Violation = Type.Object(
  {
    case_number: words(80),
    code_section: words(200),
    description: words(4_000),
    status: oneOf(['open', 'closed', 'unknown']),
    opened_date: day(),
    closed_date: day(),
  },
  { title: 'CodeViolation' },
);

const FloodZone = Type.Object({ zone: text(20), zone_subtype: words(), sfha: Type.Boolean() }, { title: 'FloodZone' });

export const RiskReport = Type.Object(
  {
    object: oneOf(['risk_report']),
    property_id: text(40),
    as_of: isoDay(),
    layers: Type.Object({
      flood: Type.Optional(
        layer('FloodLayer', 'FEMA flood hazard at the property’s point.', {
          zone: words(20),
          zone_subtype: words(),
          sfha: nullable(Type.Boolean({ description: 'Special flood hazard area.' })),
          base_flood_elevation_ft: nullable(decimal()),
          firm_panel: words(40),
          effective_date: day(),
          zones: list(FloodZone),
        }),
      ),
      tax_liens: Type.Optional(
        layer('TaxLienLayer', 'Tax liens and tax sales.', {
          open_count: whole(),
          open_amount: whole(),
          items: list(Lien),
        }),
      ),
      permits: Type.Optional(
        layer('PermitLayer', 'Building permits.', {
          count: whole(),
          total_job_value: whole(),
          items: list(Permit),
        }),
      ),
      code_violations: Type.Optional(
        layer('CodeViolationLayer', 'Building and housing code violations.', {
          open_count: whole(),
          items: list(Violation),
        }),
      ),
      census: Type.Optional(
        layer('CensusLayer', 'Demographics of the census tract.', {
          tract_geoid: words(11),
          block_group_geoid: words(12),
          vintage: whole(),
          population: whole(),
          median_household_income: whole(),
          per_capita_income: whole(),
          median_home_value: whole(),
          owner_occupied_rate: rate(),
          vacancy_rate: rate(),
          poverty_rate: rate(),
          unemployment_rate: rate(),
          housing_units: whole(),
          internet_rate: rate(),
        }),
      ),
      opportunity_zone: Type.Optional(
        layer('OpportunityZoneLayer', 'Qualified opportunity zones, designated on 2010 tracts.', {
          is_opportunity_zone: nullable(Type.Boolean()),
          tract_geoid: words(11),
          tract_vintage: whole(),
          tract_type: words(80),
          designated_on: day(),
          is_zone_from_2027: nullable(
            Type.Boolean({
              description:
                'Designated in the second round, in effect from 2027 to 2036, by 2020 tract; null while that list or that tract is not loaded.',
            }),
          ),
        }),
      ),
    }),
  },
  { title: 'RiskReport' },
);
export type RiskReport = Static<typeof RiskReport>;

/** Who registers the routes decides how layers are read: the sandbox has one that is never there. */
export type RiskReportReader = (rows: PropertyRow[], layers: readonly LayerName[]) => Promise<RiskReport[]>;
