import type { paths } from './api.js';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type Change = Exclude<Method, 'get'>;

/** The paths of the API that have this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { readonly [K in M]: { readonly responses: unknown } } ? P : never;
}[keyof paths];

export type OperationOf<M extends Method, P extends PathOf<M>> = paths[P] extends { readonly [K in M]: infer O }
  ? O
  : never;

type ContentOf<R> = R extends { readonly content: infer C }
  ? C extends { readonly 'application/json': infer J }
    ? J
    : string
  : undefined;

/** The answer of a request that asks for complete documents, and not for a plan. */
export type DataOf<O> = O extends { readonly responses: infer R } ? ContentOf<R[keyof R]> : never;

type PartOf<T> = T extends readonly (infer I)[]
  ? readonly PartOf<I>[]
  : T extends object
    ? { readonly [K in keyof T]?: PartOf<T[K]> }
    : T;
type DocumentPart<T> = PartOf<T> & { readonly id: string };

/** The answer of a read that chooses `fields`: a document, or a page of documents, in which only the id is certain. */
export type ChosenOf<D> = D extends { readonly items: readonly (infer I)[] }
  ? Omit<D, 'items'> & { readonly items: readonly DocumentPart<I>[] }
  : DocumentPart<D>;

/** Options that choose fields. */
export interface WithFields {
  readonly query: { readonly fields: string };
}

type Parameters<O> = O extends { readonly parameters: infer P } ? P : never;
type PathOption<O> =
  Parameters<O> extends { readonly path: infer P } ? { readonly path: P } : { readonly path?: undefined };
type QueryOption<O> =
  Parameters<O> extends { readonly query: infer Q }
    ? { readonly query: Q }
    : Parameters<O> extends { readonly query?: infer Q }
      ? { readonly query?: Q }
      : { readonly query?: undefined };
type JsonOf<B> = B extends { readonly content: { readonly 'application/json': infer J } } ? J : never;
type BodyOption<O> = O extends { readonly requestBody: infer B }
  ? { readonly body: JsonOf<B> }
  : O extends { readonly requestBody?: infer B }
    ? [JsonOf<NonNullable<B>>] extends [never]
      ? { readonly body?: undefined }
      : { readonly body?: JsonOf<NonNullable<B>> }
    : { readonly body?: undefined };

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** The longest time of one attempt, in milliseconds. */
  readonly timeoutMs?: number;
  /** Names the request in logs and events; default: the API makes one. */
  readonly correlationId?: string;
}

export interface ChangeOptions extends CallOptions {
  /** The change is made only while the resource has this ETag or revision; otherwise 412. */
  readonly ifMatch?: string | number | undefined;
  /** Repeats of the change have no second effect; default: a random key per call, the same for all its attempts. */
  readonly idempotencyKey?: string;
}

export type OptionsOf<M extends Method, P extends PathOf<M>> = PathOption<OperationOf<M, P>> &
  QueryOption<OperationOf<M, P>> &
  BodyOption<OperationOf<M, P>> &
  (M extends 'get' ? CallOptions : ChangeOptions);

/** The options of a call, which can be omitted where no member is required. */
export type Arguments<T> = Record<never, never> extends T ? [options?: T] : [options: T];

/** The paths of lists in pages. */
export type ListPath = {
  [P in PathOf<'get'>]: DataOf<OperationOf<'get', P>> extends { readonly nextCursor: string | null } ? P : never;
}[PathOf<'get'>];
export type PageOf<P extends ListPath> = DataOf<OperationOf<'get', P>>;
export type ItemOf<P extends ListPath> = PageOf<P> extends { readonly items: readonly (infer I)[] } ? I : never;
