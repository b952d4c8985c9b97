import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import type { GrpcError } from './grpc-error.js';

/** A node of EventStoreDB that clients are referred to. */
export interface LeaderAddress {
  readonly host: string;
  readonly port: number;
}

/** The answers of a node that is not the leader: not ready yet, without knowledge of a leader, or with its address. */
export type ElectionAnswer = 'not-ready' | 'no-leader-info' | LeaderAddress;

/** An error of gRPC, with metadata where EventStoreDB sends some. */
export type Refusal = GrpcError & { readonly metadata?: Metadata };

interface OpenCall {
  emit(event: 'error', error: Partial<ServiceError>): boolean;
  once(event: 'close' | 'cancelled', listener: () => void): unknown;
}

/**
 * What a real EventStoreDB does and an ordinary run of this server does not. Everything is off until a test sets it, also
 * while the server runs.
 */
export class ServerFaults {
  /** Whether BatchAppend is offered; servers before 21.10 have only Append. */
  offersBatchAppend = true;
  /**
   * Milliseconds after which the second of two identical appends that run at once is aborted; 2,000 on a real server.
   * The first one is held for as long, so that the two meet. Absent: both are answered.
   */
  identicalAppendsAbortMs: number | undefined;
  /** The leader to which calls are referred that require one, as by a follower, which answers all others itself. Absent: this is the leader. */
  leader: LeaderAddress | undefined;
  /** Whether reads of all streams are denied, as for a user outside `$admins` without an ACL. */
  deniesAllStream = false;
  /** Whether a read of all streams from a position that no event has is refused; one past the end is not. */
  refusesUnknownPositions = false;
  /** The value of the header `authorization` without which calls are refused, for example `Basic …`. */
  authorization: string | undefined;
  /** The number of BatchAppend streams that were opened. */
  batchStreams = 0;
  /** The number of identical appends that were aborted. */
  aborted = 0;
  /** The number of calls and appends that were refused because of an election. */
  refused = 0;

  private election: ElectionAnswer | undefined;
  private readonly calls = new Set<OpenCall>();
  private readonly identical = new Set<string>();

  /** Refuses every call from now on, and ends open subscriptions and streams of appends. */
  startElection(answer: ElectionAnswer): void {
    this.election = answer;
    for (const call of [...this.calls]) call.emit('error', { code: status.INTERNAL, details: 'RST_STREAM' });
    this.calls.clear();
  }

  endElection(): void {
    this.election = undefined;
  }

  /** Whether appends of an open stream are answered one by one with an error, as a node without a leader does. */
  get appendRefusal(): string | undefined {
    if (this.election !== undefined) this.refused++;
    if (this.election === 'not-ready') return 'Server Is Not Ready';
    return this.election === 'no-leader-info' ? 'No leader info available in response' : undefined;
  }

  /** Registers an open call, so that an election ends it. */
  watch(call: OpenCall): void {
    this.calls.add(call);
    for (const event of ['close', 'cancelled'] as const) call.once(event, () => this.calls.delete(call));
  }

  /** Returns the error with which a call is refused, if it is. */
  refusal(metadata: Metadata): Refusal | undefined {
    if (this.authorization !== undefined && metadata.get('authorization')[0] !== this.authorization)
      return { code: status.UNAUTHENTICATED, details: 'Bad HTTP status: 401' };
    if (this.leader !== undefined && metadata.get('requires-leader')[0] === 'true') return referral(this.leader);
    if (this.election === undefined) return undefined;
    this.refused++;
    if (this.election === 'not-ready') return { code: status.UNAVAILABLE, details: 'Server Is Not Ready' };
    if (this.election === 'no-leader-info')
      return { code: status.UNKNOWN, details: 'No leader info available in response' };
    return referral(this.election);
  }

  /** Returns the error of a read of all streams, if it is denied. */
  get allStreamRefusal(): Refusal | undefined {
    if (!this.deniesAllStream) return undefined;
    return { code: status.PERMISSION_DENIED, details: 'Access Denied', metadata: exception('access-denied') };
  }

  /** Runs an append. The second of two identical ones that run at once is aborted. */
  async runAlone<T>(key: string, run: () => Promise<T>): Promise<T | Refusal> {
    const ms = this.identicalAppendsAbortMs;
    if (ms === undefined) return run();
    const isSecond = this.identical.has(key);
    this.identical.add(key);
    await new Promise(resolve => setTimeout(resolve, ms));
    if (isSecond) this.aborted++;
    if (isSecond) return { code: status.ABORTED, details: 'Operation timed out: Commit phase timeout' };
    return run().finally(() => this.identical.delete(key));
  }
}

function referral({ host, port }: LeaderAddress): Refusal {
  const notLeader = exception('not-leader');
  notLeader.set('leader-endpoint-host', host);
  notLeader.set('leader-endpoint-port', String(port));
  return { code: status.NOT_FOUND, details: 'Leader info available', metadata: notLeader };
}

function exception(name: string): Metadata {
  const metadata = new Metadata();
  metadata.set('exception', name);
  return metadata;
}
