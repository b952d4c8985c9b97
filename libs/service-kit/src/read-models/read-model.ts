import type { StoredDocument } from '@stave/platform';

/** How documents follow from what is folded. */
export interface ReadModelDefinition {
  readonly name: string;
  /**
   * Of its documents; 1 where it is not given. Raised by whoever changes what is in documents so that old ones would be wrong: they are then
   * built again beside the old ones, see docs/operate/read-models.md.
   */
  readonly version?: number;
  readonly indexes: readonly (string | readonly string[])[];
  /** The document of a resource as folded now, with the position of the last event in it; a tombstone when it was deleted. */
  readonly document: (id: string) => (StoredDocument & { readonly position: number }) | undefined;
  /** Every id, with the position of the last event that changed its document. */
  readonly all: () => Iterable<readonly [string, number]>;
}

export const versionOf = ({ version = 1 }: ReadModelDefinition): number => version;

/** A read model as operators see it. */
export interface ReadModelStatus {
  readonly name: string;
  /** `REQUESTED`: the elected replica has not begun yet. */
  readonly status: 'READY' | 'REQUESTED' | 'BUILDING';
  /** Of the documents that this release makes. */
  readonly version: number;
  /** What lists are answered from; null before the first build is whole. */
  readonly serving: { readonly collection: string; readonly version: number; readonly builtAt: string } | null;
  readonly building: {
    readonly collection: string;
    readonly version: number;
    readonly startedAt: string;
    readonly written: number;
    readonly total: number;
  } | null;
}
