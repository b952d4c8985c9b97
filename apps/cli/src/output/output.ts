import { stringify } from 'yaml';
import type { Document } from '../api/api.js';
import { UsageError } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';

export const formats = ['table', 'wide', 'json', 'jsonl', 'yaml', 'name'] as const;
export type Format = (typeof formats)[number];

export function formatOf(text: string | undefined): Format {
  const found = formats.find(format => format === (text ?? 'table'));
  if (!found) throw new UsageError(`-o ${text} is not one of ${formats.join(', ')}`);
  return found;
}

export const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
export const asYaml = (value: unknown): string => stringify(value, { lineWidth: 0 });

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
