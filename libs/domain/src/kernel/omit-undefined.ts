type RequiredKeys<T> = { [K in keyof T]: undefined extends T[K] ? never : K }[keyof T];

/** The members of T; those that may be undefined are optional instead. */
type WithoutUndefined<T> = Pick<T, RequiredKeys<T>> & {
  [K in Exclude<keyof T, RequiredKeys<T>>]?: Exclude<T[K], undefined>;
};

/** Returns the object without the members that are undefined. */
export const omitUndefined = <T extends object>(members: T): WithoutUndefined<T> =>
  // only members that are optional in the result are left out
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as WithoutUndefined<T>;
