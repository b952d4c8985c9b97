import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../exit-codes.js';
import { loadYaml } from '../output/output.js';
import { pairsOf } from './pairs.js';
import type { Terminal } from '../terminal.js';

type Members = Record<string, unknown>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses JSON or YAML. Throws UsageError with the line, and without the text, which can have secrets. */
export async function parseText(text: string, name: string): Promise<unknown> {
  const { parse, YAMLParseError } = await loadYaml();
  try {
    return parse(text, { uniqueKeys: true, prettyErrors: true });
  } catch (error) {
    const line = error instanceof YAMLParseError ? ` in line ${error.linePos?.[0].line}: ${error.code}` : '';
    throw new UsageError(`${name} is neither JSON nor YAML${line}`);
  }
}

/** Reads a file, or the input for `-`. */
export async function readText(terminal: Terminal, file: string): Promise<string> {
  if (file === '-') return terminal.readInput();
  try {
    return readFileSync(resolve(terminal.cwd, file), 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${String((error as { readonly code?: unknown }).code)}`);
  }
}

/** A value on the command line: JSON where it is JSON, else the text itself. */
export function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Splits `a.b.0` at its dots; `\.` is a dot of a name. */
const segmentsOf = (key: string): string[] => key.split(/(?<!\\)\./).map(segment => segment.replaceAll('\\.', '.'));

function setMember(target: Members, key: string, value: unknown): void {
  const segments = segmentsOf(key);
  if (segments.some(segment => segment === '' || segment === '__proto__'))
    throw new UsageError(`${key} names no member`);
  let place: Members = target;
  segments.forEach((segment, index) => {
    if (index === segments.length - 1) place[segment] = value;
    else {
      const next = place[segment];
      if (typeof next === 'object' && next !== null) place = next as Members;
      else place = (place[segment] = /^\d+$/.test(segments[index + 1]!) ? [] : {}) as Members;
    }
  });
}

export interface BodyFlags {
  readonly file?: string;
  readonly set?: readonly string[];
  readonly unset?: readonly string[];
}

/** Returns the body that the flags describe: the file, then `--set`, then `--unset`. Undefined when nothing was given. */
export async function bodyOf(
  terminal: Terminal,
  { file, set = [], unset = [] }: BodyFlags,
): Promise<Members | undefined> {
  if (file === undefined && set.length === 0 && unset.length === 0) return undefined;
  const given =
    file === undefined ? {} : await parseText(await readText(terminal, file), file === '-' ? 'the input' : file);
  if (!isMembers(given)) throw new UsageError(`${file} must have one object`);
  for (const [key, text] of pairsOf(set, '--set')) setMember(given, key, valueOf(text));
  for (const key of unset) setMember(given, key, null);
  return given;
}
