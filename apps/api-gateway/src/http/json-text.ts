/** By frozen document: the in-process read models give the same one again until it changes. */
const texts = new WeakMap<object, string>();

const isList = (value: unknown): value is readonly object[] =>
  Array.isArray(value) && value.every(item => typeof item === 'object' && item !== null);

/** The value as JSON. Documents that cannot change, alone or as the items of a page, are turned into text once. */
export function jsonText(value: object): string {
  if (!('items' in value) || !isList(value.items)) return textOf(value);
  const { items, ...rest } = value;
  const more = JSON.stringify(rest).slice(1);
  return `{"items":[${items.map(textOf).join(',')}]${more === '}' ? '' : ','}${more}`;
}

function textOf(value: object): string {
  if (!Object.isFrozen(value)) return JSON.stringify(value);
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  texts.set(value, text);
  return text;
}
