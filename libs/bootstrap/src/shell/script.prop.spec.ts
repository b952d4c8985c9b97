import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { bootstrapNode, type NodeDescription } from '../index.js';
import { nodes } from '../testing/descriptions.fixture.js';
import { quote } from './quote.js';
import { script } from './script.js';

/** Texts that are code wherever they leave their quotes. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }).map(text => text.replaceAll('\0', '')),
  fc.constantFrom(
    "'; exit 3; '",
    '$(exit 3)',
    '`exit 3`',
    '"',
    '\\',
    "\\'",
    '\n',
    '-n',
    '*',
    '~',
    '!!',
    '#',
    'a=b',
    '$HOME',
  ),
  fc
    .array(fc.constantFrom("'", '"', '$(', ')', '`', '\\', '\n', ';', '|', '&', ' ', 'x'), { maxLength: 12 })
    .map(all => all.join('')),
);
const bash = (text: string): Buffer => execFileSync('bash', ['-c', text]);
/** Not a lone surrogate: programs have bytes, and a lone surrogate has none. */
const bytes = (text: string): Buffer => Buffer.from(text);

describe('texts in scripts', () => {
  it('a quoted text is one word with exactly these bytes', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 5 }), texts => {
        const words = texts.map(quote).join(' ');
        expect(bash(`printf '%s\\0' ${words}`)).toEqual(bytes(texts.map(text => `${text}\0`).join('')));
      }),
      { numRuns: 60 },
    );
  });

  it('variables have their values, and lists each of their entries, whatever they contain', () => {
    fc.assert(
      fc.property(hostile, fc.array(hostile, { maxLength: 4 }), (one, several) => {
        const body = 'printf "%s\\0" "$one" "${#several[@]}" "${several[@]}"';
        const text = script(body, { one, several }).replace(/^\. .*$/m, '');
        const printed = [one, String(several.length), ...(several.length > 0 ? several : [''])];
        const wanted = several.length > 0 ? printed : printed.slice(0, 2);
        expect(bash(text)).toEqual(bytes(wanted.map(entry => `${entry}\0`).join('')));
      }),
      { numRuns: 60 },
    );
  });

  it('refuses a byte that no argument can contain, and names that are no variables', () => {
    expect(() => quote('a\0b')).toThrow(RangeError);
    expect(() => script('', { 'a;b': 'x' })).toThrow(RangeError);
  });

  it('a hostile text in any field of a description is refused, or leaves every script as it is but for the quoted text', () => {
    const strings = Object.entries(nodes).flatMap(([title, node]) =>
      pathsOf(node).map(path => ({ title, node, path })),
    );
    fc.assert(
      fc.property(fc.constantFrom(...strings), hostile, ({ node, path }, text) => {
        // A plain word may be part of a longer quoted text, such as the name of a file.
        fc.pre(!/^\w[\w.-]*$/.test(text));
        const harmless = withText(node, path, 'x');
        let files;
        try {
          files = bootstrapNode(withText(node, path, text)).files;
        } catch (error) {
          expect(error).toHaveProperty('name', 'InvalidDescriptionError');
          return;
        }
        const scripts = files.filter(file => file.content.startsWith('#!'));
        for (const { path: place, content } of scripts) {
          const other = filesOf(harmless)?.find(file => file.path === place);
          if (other) expect(content.replaceAll(quote(text), quote('x'))).toBe(other.content);
        }
      }),
      { numRuns: 400 },
    );
  });
});

function filesOf(node: NodeDescription) {
  try {
    return bootstrapNode(node).files;
  } catch {
    return undefined;
  }
}

type Path = readonly string[];

/** The paths of all texts in a description. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) => pathsOf(entry, [...path, key]));
}

function withText(node: NodeDescription, path: Path, text: string): NodeDescription {
  const copy: unknown = structuredClone(node);
  let place = copy as Record<string, unknown>;
  for (const key of path.slice(0, -1)) place = place[key] as Record<string, unknown>;
  place[path.at(-1)!] = text;
  return copy as NodeDescription;
}
