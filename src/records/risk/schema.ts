// The shape of a risk report: each layer has a status that distinguishes "none" from "unknown".
import Type, { type Static, type TObject, type TOptional, type TProperties } from 'typebox';
import type { PropertyRow } from '../properties/sql.ts';
import { instant, isoDay, named, nullable, oneOf, text } from '../../base/lib/schema.ts';
import { LAYER_MEMBERS, membersOf, type LayerDefinition } from '../../supply/layers/definition.ts';
import { day, words, type Layer } from '../../supply/layers/layer.ts';
import { LAYER_LIST, LAYERS, type LayerName } from '../../supply/layers/layers.ts';

export const RISK_STATUSES = ['found', 'none_found', 'not_covered', 'temporarily_unavailable'] as const;

const LayerSource = named('LayerSource', {
  id: text(80),
  name: text(300),
  url: words(500),
  licence: text(300),
  attribution: text(500),
  published_at: day(),
  loaded_at: instant(),
  covers_from: day(),
  covers_to: day(),
});

const Common = { status: oneOf(RISK_STATUSES), source: nullable(LayerSource) };

const shapeOf = ({ component, description, members }: Pick<Layer, 'component' | 'description' | 'members'>) =>
  Type.Optional(Type.Object({ ...Common, ...members }, { title: component, description }));

/** The shape of a layer by recipe, for the OpenAPI document of a server that has loaded it. */
export const shapeOfDefinition = (definition: LayerDefinition) =>
  shapeOf({
    component: `${definition.name.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}Layer`,
    description: definition.description,
    members: membersOf(definition),
  });

const LoadedLayer = Type.Object(
  { ...Common, ...LAYER_MEMBERS },
  {
    title: 'LoadedLayer',
    description:
      'A layer that this server’s operator has loaded by recipe. Its own fields follow; the server’s `/openapi.json` and `GET /layers` name them.',
    additionalProperties: Type.Unsafe<unknown>({ type: ['string', 'number', 'boolean', 'null'], maxLength: 2_000 }),
  },
);
export type LoadedLayer = Static<typeof LoadedLayer>;

type LayerShape<Members extends TProperties> = TOptional<TObject<typeof Common & Members>>;
type LayerShapes = { [Name in LayerName]: LayerShape<(typeof LAYERS)[Name]['members']> };

export const RiskReport = named('RiskReport', {
  object: oneOf(['risk_report']),
  property_id: text(40),
  as_of: isoDay(),
  layers: Type.Object(
    Object.fromEntries(LAYER_LIST.map((layer) => [layer.name, shapeOf(layer)])) as unknown as LayerShapes,
    { additionalProperties: LoadedLayer },
  ),
});
export type RiskReport = Static<typeof RiskReport>;

/** The layers by recipe of a report, which its type does not name. */
export const loadedLayersOf = ({ layers }: Pick<RiskReport, 'layers'>): [name: string, layer: LoadedLayer][] =>
  Object.entries(layers as Record<string, LoadedLayer>).filter(([name]) => !(name in LAYERS));

/** The code that registers the routes decides how layers are read (a sandbox magic input makes one unavailable).
    Without names, all of them. */
export type RiskReportReader = (rows: PropertyRow[], layers?: readonly string[]) => Promise<RiskReport[]>;
