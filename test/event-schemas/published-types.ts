import { join } from 'node:path';
import { eventVersions } from '@stave/domain';
import { cloudEventType } from '@stave/platform';
import { repositoryRoot } from '@stave/testing';
import ts from 'typescript';
import { TypeSchemas, type JsonSchema } from './type-schema.js';

/** A type of event that the product publishes. */
export interface PublishedType {
  readonly category: string;
  /** The type in the log and in subjects. */
  readonly event: string;
  /** The `type` of the CloudEvent. */
  readonly type: string;
  /** A sentence that describes the event. */
  readonly fact: string;
}

export interface PublishedTypes {
  readonly types: readonly PublishedType[];
  readonly definitions: Readonly<Record<string, JsonSchema>>;
}

const ENTRY = 'libs/contracts/src/published-events.ts';

/** Reads the types behind `PublishedEvents` with the compiler. Throws when a type has no schema or no doc comment. */
export function publishedTypes(): PublishedTypes {
  const root = repositoryRoot();
  const program = ts.createProgram([join(root, ENTRY)], {
    ...configured(root),
    noEmit: true,
    composite: false,
    skipLibCheck: true,
  });
  const checker = program.getTypeChecker();
  const schemas = new TypeSchemas(checker);
  const facts = new Facts(program);
  const types: PublishedType[] = [];
  for (const category of checker.getPropertiesOfType(entryType(program, checker))) {
    const union = checker.getTypeOfSymbol(category);
    for (const member of union.isUnion() ? union.types : [union]) {
      const event = literal(checker, member, 'type');
      const type = cloudEventType(category.name, event, eventVersions.currentVersion(event));
      types.push({ category: category.name, event, type, fact: facts.of(event) });
      const data = propertyType(checker, member, 'data');
      if (!data) throw new Error(`${event} has no data`);
      schemas.definitions.set(type, { title: event, ...schemas.inline(data) });
    }
  }
  types.sort(inOrder);
  return { types, definitions: Object.fromEntries([...schemas.definitions].sort(byName)) };
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

const inOrder = (a: PublishedType, b: PublishedType): number =>
  a.category === b.category && a.event > b.event ? 1 : a.category === b.category && a.event < b.event ? -1 : 0;

function configured(root: string): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), path => ts.sys.readFile(path));
  return ts.parseJsonConfigFileContent(config, ts.sys, root).options;
}

function entryType(program: ts.Program, checker: ts.TypeChecker): ts.Type {
  const file = program.getSourceFiles().find(({ fileName }) => fileName.endsWith(ENTRY));
  const symbol = file && checker.getSymbolAtLocation(file);
  const entry = symbol && checker.getExportsOfModule(symbol).find(({ name }) => name === 'PublishedEvents');
  if (!entry) throw new Error(`no PublishedEvents in ${ENTRY}`);
  return checker.getDeclaredTypeOfSymbol(entry);
}

function propertyType(checker: ts.TypeChecker, type: ts.Type, property: string): ts.Type | undefined {
  const symbol = checker.getPropertyOfType(type, property);
  return symbol && checker.getTypeOfSymbol(symbol);
}

function literal(checker: ts.TypeChecker, type: ts.Type, property: string): string {
  const found = propertyType(checker, type, property);
  if (!found?.isStringLiteral()) throw new Error(`${checker.typeToString(type)} has no literal ${property}`);
  return found.value;
}

/** Finds the doc comment of an event: on the type with its name, or else on its member in a map `…Events`. */
class Facts {
  private readonly types = new Map<string, string>();
  private readonly members = new Map<string, string>();

  constructor(program: ts.Program) {
    for (const file of program.getSourceFiles().filter(({ fileName }) => fileName.includes('/libs/'))) {
      file.forEachChild(node => {
        if (!ts.isTypeAliasDeclaration(node) && !ts.isInterfaceDeclaration(node)) return;
        const name = node.name.text;
        const isKept = this.types.has(name) && !file.fileName.endsWith(ENTRY);
        if (!isKept) setDefined(this.types, name, ownComment(node));
        if (!ts.isInterfaceDeclaration(node) || !name.endsWith('Events')) return;
        for (const member of node.members) setDefined(this.members, member.name?.getText(file), ownComment(member));
      });
    }
  }

  of(event: string): string {
    const fact = this.types.get(event) ?? this.members.get(event);
    if (fact === undefined) throw new Error(`the event ${event} has no doc comment; add one`);
    return fact;
  }
}

function setDefined<V>(map: Map<string, V>, key: string | undefined, value: V | undefined): void {
  if (key !== undefined && value !== undefined) map.set(key, value);
}

/** Returns the comment of the declaration itself; the compiler would return that of the aliased type. */
function ownComment(node: ts.Node): string | undefined {
  const [comment] = ts.getJSDocCommentsAndTags(node);
  const text = ts.getTextOfJSDocComment(comment?.comment);
  return text?.replaceAll(/\s+/g, ' ');
}
