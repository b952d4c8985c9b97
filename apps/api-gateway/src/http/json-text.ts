import { getOrCreate } from '@stave/domain';

/** Texts of frozen documents. The in-process read models return the same document until it changes. */
const texts = new WeakMap<object, string>();

const isList = (value: unknown): value is readonly object[] =>
  Array.isArray(value) && value.every(item => typeof item === 'object' && item !== null);

/** Returns the value as JSON. Frozen documents, alone or as items of a page, are converted once. */
export function jsonText(value: object): string {
  if (!('items' in value) || !isList(value.items)) return textOf(value);
  const { items, ...rest } = value;
  const more = JSON.stringify(rest).slice(1);
  return `{"items":[${items.map(textOf).join(',')}]${more === '}' ? '' : ','}${more}`;
}

const textOf = (value: object): string =>
  Object.isFrozen(value) ? getOrCreate(texts, value, () => JSON.stringify(value)) : JSON.stringify(value);
