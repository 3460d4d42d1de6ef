// Adds the layers that this server has loaded by recipe to its OpenAPI document, each with a typed shape. Pure.
import { shapeOfDefinition } from '../../records/risk/schema.ts';
import type { LayerDefinition } from '../../supply/layers/definition.ts';

type Json = Record<string, unknown>;

interface Document {
  paths: Record<string, Record<string, { parameters?: { name: string; schema: { items?: { enum?: string[] } } }[] }>>;
  components: { schemas: Record<string, { properties: Record<string, Json & { properties?: Json }> }> };
}

const RISK_PATH = '/api/v1/properties/{id}/risk';

export function withLayers(document: object, layers: ReadonlyMap<string, LayerDefinition>): object {
  if (layers.size === 0) return document;
  const copy = structuredClone(document) as Document;
  const { schemas } = copy.components;
  const { status, source } = schemas.LoadedLayer.properties;
  const reported = schemas.RiskReport.properties.layers;
  for (const [name, definition] of layers) {
    const { title, ...shape } = shapeOfDefinition(definition) as unknown as Json & { title: string; properties: Json };
    schemas[title] = { ...shape, properties: { ...shape.properties, status, source } };
    reported.properties = { ...reported.properties, [name]: { $ref: `#/components/schemas/${title}` } };
  }
  const asked = copy.paths[RISK_PATH]?.get.parameters?.find(({ name }) => name === 'layers')?.schema.items;
  if (asked?.enum) asked.enum = [...asked.enum, ...layers.keys()];
  return copy;
}
