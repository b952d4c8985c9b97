import type { Options, UnitKind } from '@stave/driver-sdk';
import type { FakeUnit, UnitDraft } from './fake-unit.js';

/** On whose behalf a call is made; kept in the journal. */
export interface Caller {
  /** The driver method, e.g. `node.create`. */
  readonly operation: string;
  readonly taskId: string;
  readonly attempt: number;
  readonly generation: number;
  readonly conductor?: string;
  readonly session?: string;
}

export type UnitAction = 'start' | 'stop' | 'restart' | 'softReboot' | 'hardReboot' | 'drain' | 'undrain' | 'update';

interface Request {
  readonly caller: Caller;
  /** Driver options of the cluster and group: the faults to inject into this call. */
  readonly options: Options;
}

export interface CreateRequest extends Request {
  readonly call: 'create';
  readonly unit: UnitDraft;
}

export interface RemoveRequest extends Request {
  readonly call: 'remove';
  readonly infrastructureId: string;
}

export interface ActRequest extends Request {
  readonly call: 'act';
  readonly infrastructureId: string;
  readonly action: UnitAction;
  /** Of `update`: replaces these attributes. */
  readonly attributes?: Readonly<Record<string, unknown>>;
}

export interface FindRequest extends Request {
  readonly call: 'find';
  readonly installation: string;
  readonly kind: UnitKind;
  readonly resourceId: string;
}

export interface ListRequest extends Request {
  readonly call: 'list';
  readonly installation: string;
  readonly clusterId?: string;
}

export type CloudRequest = CreateRequest | RemoveRequest | ActRequest | FindRequest | ListRequest;

/**
 * `units`: what the call is about: the unit created, adopted or acted on, or what was found. `obstacles`: of `create`, units of
 * the resource with other generations, because of which NOTHING was created; the caller removes the lower ones first.
 */
export interface CloudReply {
  readonly units: readonly FakeUnit[];
  readonly obstacles?: readonly FakeUnit[];
}

export type JournalEffect = 'created' | 'adopted' | 'finished' | 'failed' | 'removed' | 'lost' | 'ended' | UnitAction;

/** One line of the journal. A slow change has two: when it was taken on, and when it took effect. */
export interface JournalEntry {
  readonly seq: number;
  /** ISO time of the cloud's clock. */
  readonly at: string;
  readonly call: CloudRequest['call'];
  readonly caller: Caller;
  readonly installation?: string;
  readonly kind?: UnitKind;
  readonly resourceId?: string;
  /** Infrastructure id and generation of the unit that the call was about, where there is one. */
  readonly unit?: string;
  readonly unitGeneration?: number;
  /** What changed; absent when nothing did. */
  readonly effect?: JournalEffect;
  /** Class of the error answered, also when there was an effect (a lost reply). */
  readonly error?: string;
  /** State after the change, for replay. */
  readonly put?: readonly FakeUnit[];
  readonly gone?: readonly string[];
}

/** The fake cloud as a driver sees it, in process or over HTTP. Rejects with DriverError. */
export interface FakeCloud {
  call(request: CloudRequest, signal?: AbortSignal): Promise<CloudReply>;
  close(): Promise<void>;
}
