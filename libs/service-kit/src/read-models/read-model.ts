import type { DocumentFilter, StoredDocument } from '@stave/platform';

export interface ReadModelDefinition {
  readonly name: string;
  /** Default 1. Increase it when documents change so that stored ones would be wrong; they are then rebuilt, see docs/operate/read-models.md. */
  readonly version?: number;
  readonly indexes: readonly (string | readonly string[])[];
  /** Returns the current document with the position of the last event in it; a tombstone for a deleted resource. */
  readonly document: (id: string) => (StoredDocument & { readonly position: number }) | undefined;
  /** Returns every id, with the position of the last event that changed its document. */
  readonly all: () => Iterable<readonly [string, number]>;
  /** Completes what `all` returns, before a build: documents may have left memory that are listed. */
  readonly prepare?: () => Promise<void>;
  /** Returns a filter of documents that are not listed any more, and are removed; tombstones are removed anyway. */
  readonly expired?: () => DocumentFilter;
}

export const versionOf = ({ version = 1 }: ReadModelDefinition): number => version;

export interface ReadModelStatus {
  readonly name: string;
  /** `REQUESTED`: the elected replica has not started the build yet. */
  readonly status: 'READY' | 'REQUESTED' | 'BUILDING';
  /** The version of the documents that this release writes. */
  readonly version: number;
  /** The collection that answers lists; null before the first build is complete. */
  readonly serving: { readonly collection: string; readonly version: number; readonly builtAt: string } | null;
  readonly building: {
    readonly collection: string;
    readonly version: number;
    readonly startedAt: string;
    readonly written: number;
    readonly total: number;
  } | null;
}
