/** Control characters except line breaks, and those that change the direction or the lines of a text: whoever reads it sees another one. */
const invisible = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Returns a value with every such character in its texts, at any depth, written as an escape that can be read. */
export function visible<T>(value: T): T {
  if (typeof value === 'string') return value.replace(invisible, escaped) as T;
  if (Array.isArray(value)) return value.map(entry => visible<unknown>(entry)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [visible(name), visible<unknown>(member)]),
  ) as T;
}
