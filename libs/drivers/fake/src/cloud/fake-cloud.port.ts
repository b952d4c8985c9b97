import type { DriverContext, FailureClass, Options, UnitKind } from '@stave/driver-sdk';
import type { FakeUnit, UnitDraft } from './fake-unit.js';

export type Caller = DriverContext['task'] & {
  /** The driver method, for example `node.create`. */
  readonly operation: string;
  readonly conductor?: string;
  readonly session?: string;
};

export type UnitAction = 'start' | 'stop' | 'restart' | 'softReboot' | 'hardReboot' | 'drain' | 'undrain' | 'update';

interface Request {
  readonly caller: Caller;
  /** The driver options of cluster and node group, which name the faults to inject. */
  readonly options: Options;
}

export type CreateRequest = Request & { readonly call: 'create'; readonly unit: UnitDraft };
export type RemoveRequest = Request & { readonly call: 'remove'; readonly infrastructureId: string };

/** Changes a unit in place. `attributes`: for `update`, the attributes to replace. */
export interface ActRequest extends Request {
  readonly call: 'act';
  readonly infrastructureId: string;
  readonly action: UnitAction;
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
}

interface FindRequest extends Request {
  readonly call: 'find';
  readonly installation: string;
  readonly kind: UnitKind;
  readonly resourceId: string;
}

type ListRequest = Request & {
  readonly call: 'list';
  readonly installation: string;
  readonly clusterId?: string | undefined;
};

/** Asks for what is on the engine of a machine. */
type EngineRequest = Request & { readonly call: 'engine'; readonly engine: string };

export type CloudRequest = CreateRequest | RemoveRequest | ActRequest | FindRequest | ListRequest | EngineRequest;

/**
 * The result of a call. `units` contains the created, adopted or changed unit, or the units found. `obstacles` are units of the same
 * resource with other generations, because of which `create` created NOTHING; the caller removes the lower generations first.
 */
export interface CloudReply {
  readonly units: readonly FakeUnit[];
  readonly obstacles?: readonly FakeUnit[];
  /** The time of the cloud, in milliseconds since 1970; with the units that were found or listed. */
  readonly now?: number;
}

type JournalEffect = 'created' | 'adopted' | 'finished' | 'failed' | 'removed' | 'lost' | 'ended' | UnitAction;

/** One line of the journal. A slow change has two lines: when it was accepted and when it took effect. */
export interface JournalEntry {
  readonly seq: number;
  /** ISO 8601 time of the cloud's clock. */
  readonly at: string;
  readonly call: CloudRequest['call'];
  readonly caller: Caller;
  readonly installation?: string;
  readonly kind?: UnitKind;
  readonly resourceId?: string;
  /** Infrastructure id and generation of the unit of the call. */
  readonly unit?: string;
  readonly unitGeneration?: number;
  /** The change; absent when nothing changed. */
  readonly effect?: JournalEffect;
  /** The class of the returned error; a lost reply has both an error and an effect. */
  readonly error?: FailureClass | undefined;
  /** The changed and the removed units, for replay. */
  readonly put?: readonly FakeUnit[];
  readonly gone?: readonly string[];
}

/** The interface of the fake cloud, in process or over HTTP. Rejects with DriverError. */
export interface FakeCloud {
  call(request: CloudRequest, signal?: AbortSignal): Promise<CloudReply>;
  /** Returns the id that is stored with the data of the cloud; another cloud has another one. */
  identity?(): Promise<string>;
  close(): Promise<void>;
}
