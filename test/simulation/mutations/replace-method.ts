import { join } from 'node:path';

const root = join(__dirname, '..', '..', '..');

/** A method of a product class, on an object whose private members a mutation may read. */
export type Method = (this: never, ...args: never[]) => unknown;

/**
 * Replaces a method of a product class, also a private one, by the result of `by`. `file` is relative to the root of
 * the repository. Returns the function that restores the method. Throws RangeError when the method does not exist.
 */
export function replaceMethod(
  file: string,
  className: string,
  method: string,
  by: (original: Method) => Method,
): () => void {
  type Loaded = Record<string, { readonly prototype: Record<string, Method> } | undefined>;
  const prototype = jest.requireActual<Loaded>(join(root, file))[className]?.prototype;
  const original = prototype?.[method];
  if (!prototype || !original) throw new RangeError(`${file} has no ${className}.${method}`);
  prototype[method] = by(original);
  return () => (prototype[method] = original);
}

/** Returns an object that inherits from this one and overrides some members. */
export function withMembers<T extends object>(object: T, members: Readonly<Record<string, unknown>>): T {
  return Object.create(object, Object.getOwnPropertyDescriptors(members)) as T;
}

/** Calls a method of the product on another object, or with other arguments. */
export const call = (method: Method, self: unknown, ...args: unknown[]): unknown =>
  (method as (...args: unknown[]) => unknown).call(self, ...args);
