import type { FactoryProvider, InjectionToken, Type } from '@nestjs/common';

/** A provider made by a function of other providers. */
export const provide = <T>(
  token: Type<T>,
  inject: InjectionToken[],
  useFactory: (...dependencies: never[]) => T,
): FactoryProvider<T> => ({ provide: token, inject, useFactory: useFactory as (...dependencies: unknown[]) => T });

/** A provider of a class whose constructor takes one object of parts, each given by its token. */
export const fromParts = <T, P extends object>(
  token: new (parts: P) => T,
  parts: { readonly [K in keyof Required<P>]: InjectionToken<P[K]> | Type<P[K]> },
): FactoryProvider<T> => ({
  provide: token,
  inject: Object.values(parts),
  useFactory: (...dependencies: unknown[]) => {
    const names = Object.keys(parts);
    // the parts are injected in the order of their names
    return new token(Object.fromEntries(dependencies.map((part, i) => [names[i], part])) as P);
  },
});
