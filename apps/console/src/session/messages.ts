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

/** What requests are sent with: an API key, or the cookie that the gateway has given to this browser. */
export type Credential = { readonly kind: 'key'; readonly key: string } | { readonly kind: 'cookie' };

export interface SessionMessage {
  readonly kind: 'session';
  readonly credential: Credential | null;
  /** The issuers at which this browser can sign in. */
  readonly issuers: readonly string[];
  /** Why the session has ended, as a sentence. */
  readonly notice?: string;
}

export type FromWorker =
  | SessionMessage
  | { readonly kind: 'live'; readonly state: LiveState }
  | { readonly kind: 'changes'; readonly changes: Changes };
