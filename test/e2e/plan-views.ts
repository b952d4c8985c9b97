/** The answer of a dry run. */
export interface PlanView {
  readonly planToken: string;
  readonly events: readonly { readonly type: string; readonly stream: string; readonly data: object }[];
  readonly diff: readonly {
    readonly pointer: string;
    readonly from?: unknown;
    readonly to?: unknown;
    readonly resource: { readonly type: string };
  }[];
  readonly steps: readonly {
    readonly action: string;
    readonly resource: { readonly type: string; readonly id?: string; readonly name?: string };
    readonly by?: string;
  }[];
}

interface OperationView {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
}

/** The part of the OpenAPI document that lists the routes. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationView>>>>;
}
