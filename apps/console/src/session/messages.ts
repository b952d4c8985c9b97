/** What a page asks of the worker that all pages of the browser share. */
export type ToWorker =
  | { readonly kind: 'hello' }
  | { readonly kind: 'sign-in'; readonly key: string }
  | { readonly kind: 'sign-out' }
  | { readonly kind: 'goodbye' };

export interface Created {
  readonly type: string;
  readonly id: string;
  readonly cluster: string | undefined;
}

/** What events have changed since the last message. */
export interface Changes {
  /** The ids of resources and operations, and of the clusters they belong to. */
  readonly ids: readonly string[];
  /** The types of what changed, such as `nodeGroup`. */
  readonly types: readonly string[];
  /** What was created. */
  readonly created: readonly Created[];
  /** The position of the last event. */
  readonly position: number;
}

export type LiveState = 'off' | 'connecting' | 'live' | 'reconnecting';

export type FromWorker =
  /** `isRefused`: the API takes the key no more. */
  | { readonly kind: 'session'; readonly key: string | null; readonly isRefused?: boolean }
  | { readonly kind: 'live'; readonly state: LiveState }
  | { readonly kind: 'changes'; readonly changes: Changes };
