import { named, schemaName, type JsonSchema } from '@stave/contracts/schemas';
import { isObject } from '../http/members.js';

export type Json = Record<string, unknown>;

/** Renders schemas. A schema with a name becomes a component, which others refer to. */
export class SchemaRenderer {
  readonly components: Record<string, Json> = {};
  private readonly rendered = new Map<string, JsonSchema>();

  /** Throws RangeError for two schemas with one name: references to the second would point to the first. */
  render(schema: JsonSchema): Json {
    const name = schemaName(schema);
    if (name === undefined) return this.members(schema);
    const known = this.rendered.get(name);
    if (known !== undefined && known !== schema) throw new RangeError(`two schemas have the name ${name}`);
    if (known === undefined) {
      this.rendered.set(name, schema);
      this.components[name] = this.members(schema);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  private members(schema: JsonSchema): Json {
    if (schema['immutable'] === true) return { not: {}, description: schema['description'] };
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, this.value(value)]));
  }

  private value(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(one => this.value(one));
    return isObject(value) ? this.render(value) : value;
  }
}

const chosen = new Map<JsonSchema, JsonSchema>();

/** Returns the schema of a document, or of a page of documents, from which a request chose fields. */
export function withChosenFields(schema: JsonSchema): JsonSchema {
  const known = chosen.get(schema);
  if (known) return known;
  const result = isPage(schema) ? chosenInPage(schema) : { ...someOf(schema), required: ['id'] };
  const name = schemaName(schema);
  chosen.set(schema, name === undefined ? result : named(`${name}Fields`, result));
  return chosen.get(schema) ?? result;
}

const propertiesOf = ({ properties }: JsonSchema): Json => (isObject(properties) ? properties : {});
const isPage = (schema: JsonSchema): boolean => 'items' in propertiesOf(schema);

function chosenInPage(page: JsonSchema): JsonSchema {
  const properties = propertiesOf(page);
  const { items } = properties;
  const item = isObject(items) && isObject(items['items']) ? items['items'] : {};
  return { ...page, properties: { ...properties, items: { type: 'array', items: withChosenFields(item) } } };
}

/** Requires no member, neither here nor in objects below, nor where others are absent. */
function someOf(schema: JsonSchema): JsonSchema {
  const { required: _required, if: _if, then: _then, else: _else, ...rest } = schema;
  if (!isObject(schema['properties'])) return schema;
  const inner = Object.entries(schema['properties']).map(([key, one]) => [key, isObject(one) ? someOf(one) : one]);
  return { ...rest, properties: Object.fromEntries(inner) };
}
