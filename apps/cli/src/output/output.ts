import type { Document } from '../api/api.js';
import { UsageError } from '../exit-codes.js';
import type { Noun } from '../nouns/noun.js';
import type { Session } from '../session.js';
import type { Terminal } from '../terminal.js';
import type { Names } from './values.js';

export const formats = ['table', 'wide', 'json', 'jsonl', 'yaml', 'name'] as const;
export type Format = (typeof formats)[number];

export function formatOf(text: string | undefined): Format {
  const found = formats.find(format => format === (text ?? 'table'));
  if (!found) throw new UsageError(`-o ${text} is not one of ${formats.join(', ')}`);
  return found;
}

export const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

type Yaml = typeof import('yaml');
let yaml: Yaml | undefined;

/** Loads what reads and writes YAML, a third of the program: commands that need it await it first, the others start without it. */
export async function loadYaml(): Promise<Yaml> {
  if (!yaml) {
    const loaded: Yaml & { readonly default?: Yaml } = await import('yaml');
    // in a bundle a CommonJS module has its members in `default` only
    yaml = loaded.default ?? loaded;
  }
  return yaml;
}

/** Needs `loadYaml`. */
export function asYaml(value: unknown): string {
  if (!yaml) throw new Error('YAML is written before it was loaded');
  return yaml.stringify(value, { lineWidth: 0 });
}

/** What names a resource in other commands: its first column. Operations have names, too, but are referred to by id. */
export const referenceOf = ({ columns: [first = 'name'] }: Pick<Noun, 'columns'>, document: Document): string =>
  String(document[first] ?? document['id']);

/**
 * Writes one resource for machines. Returns whether the format is one of theirs. `name` is a reference that other commands take: what is inside
 * a cluster comes after the name of its cluster, which `names` must have learnt.
 */
export function writeResource(
  { terminal, format }: Pick<Session, 'terminal' | 'format'>,
  noun: Noun,
  document: Document,
  names: Names,
): boolean {
  if (format !== 'name') return writeDocument(terminal, format, document);
  const { clusterId } = document;
  const within = noun.inCluster !== undefined && clusterId ? `${names.nameOf(String(clusterId))}/` : '';
  terminal.out(`${within}${referenceOf(noun, document)}\n`);
  return true;
}

/** Writes one object for machines. Returns whether the format is one of theirs. */
export function writeDocument(terminal: Terminal, format: Format, document: unknown): boolean {
  if (format === 'json') terminal.out(asJson(document));
  else if (format === 'jsonl') terminal.out(`${JSON.stringify(document)}\n`);
  else if (format === 'yaml') terminal.out(asYaml(document));
  else if (format === 'name')
    terminal.out(`${String((document as Document)['name'] ?? (document as Document)['id'])}\n`);
  else return false;
  return true;
}
