import ts from 'typescript';

export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * Generates JSON Schemas from TypeScript types. Objects are open, because members may be added within a version;
 * interfaces become definitions.
 */
export class TypeSchemas {
  readonly definitions = new Map<string, JsonSchema>();

  constructor(private readonly checker: ts.TypeChecker) {}

  of(type: ts.Type): JsonSchema {
    const name = definitionName(type);
    if (name === undefined) return this.inline(type);
    if (!this.definitions.has(name)) {
      this.definitions.set(name, {}); // its own members may refer to it
      this.definitions.set(name, { ...this.described(type.symbol), ...this.inline(type) });
    }
    return { $ref: `#/definitions/${name}` };
  }

  /** Returns the schema of a type inline, without a definition. */
  inline(type: ts.Type): JsonSchema {
    if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {};
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' };
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if (type.flags & ts.TypeFlags.BooleanLiteral) return { const: this.checker.typeToString(type) === 'true' };
    if (type.flags & ts.TypeFlags.String) return { type: 'string' };
    if (type.flags & ts.TypeFlags.Number) return { type: 'number' };
    if (type.flags & ts.TypeFlags.Boolean) return { type: 'boolean' };
    if (type.isUnion()) return this.union(type.types.filter(member => !(member.flags & ts.TypeFlags.Undefined)));
    if (this.checker.isArrayLikeType(type)) return this.array(type);
    if (type.flags & ts.TypeFlags.Object || type.isIntersection()) return this.object(type);
    throw new Error(`no schema for the type ${this.checker.typeToString(type)}`);
  }

  described(symbol: ts.Symbol | undefined): JsonSchema {
    const text = ts.displayPartsToString(symbol?.getDocumentationComment(this.checker)).replaceAll(/\s+/g, ' ').trim();
    return text === '' ? {} : { description: text };
  }

  private union(members: readonly ts.Type[]): JsonSchema {
    const schemas = members.map(member => this.of(member));
    const constants = schemas.filter(schema => 'const' in schema).map(schema => schema['const']);
    const others = schemas.filter(schema => !('const' in schema));
    if (constants.includes(true) && constants.includes(false)) return this.anyOf([{ type: 'boolean' }, ...others]);
    return this.anyOf([...(constants.length > 0 ? [constantsOf(constants)] : []), ...others]);
  }

  private anyOf(schemas: readonly JsonSchema[]): JsonSchema {
    const [only] = schemas;
    return schemas.length === 1 && only ? only : { anyOf: schemas };
  }

  private array(type: ts.Type): JsonSchema {
    const items = this.checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    return { type: 'array', ...(items && { items: this.of(items) }) };
  }

  private object(type: ts.Type): JsonSchema {
    const members = this.checker.getPropertiesOfType(type);
    const properties = Object.fromEntries(members.map(member => [member.name, this.member(member)]));
    const required = members.filter(member => !(member.flags & ts.SymbolFlags.Optional)).map(member => member.name);
    const index = this.checker.getIndexTypeOfType(type, ts.IndexKind.String);
    const open = index && !(index.flags & ts.TypeFlags.Never) ? { additionalProperties: this.of(index) } : {};
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      ...(members.length > 0 && { properties }),
      ...open,
    };
  }

  private member(symbol: ts.Symbol): JsonSchema {
    return { ...this.described(symbol), ...this.of(this.checker.getTypeOfSymbol(symbol)) };
  }
}

const constantsOf = (constants: readonly unknown[]): JsonSchema =>
  constants.length === 1 ? { const: constants[0] } : { enum: constants };

/** Returns the name of an interface of this repository without type arguments; other types have no definition. */
function definitionName(type: ts.Type): string | undefined {
  if (!type.isClassOrInterface() || (type.typeParameters?.length ?? 0) > 0) return undefined;
  const file = type.symbol.declarations?.[0]?.getSourceFile().fileName;
  return file?.includes('/libs/') ? type.symbol.name : undefined;
}
