export type ServiceName = 'cluster-service' | 'nodegroup-service' | 'container-scheduler';

/** `stave.cmd.<service>.<resource>.<verb>`; the queue group is the service's name. */
export const commandSubject = (service: ServiceName, resource: string, verb: string): string =>
  `stave.cmd.${service}.${resource}.${verb}`;

/** Hint that a resource in this slot has open work; exactly the slot's holder listens. */
export const workSubject = (keyToken: string, slot: number | '*'): string => `stave.work.${keyToken}.${slot}`;

/** Request-reply to the slot's holder for what changes nothing (logs, stats, inspect). */
export const callSubject = (keyToken: string, slot: number | '*'): string => `stave.call.${keyToken}.${slot}`;

/** Request-reply to the conductor that follows a log, for the next piece of it. */
export const logStreamSubject = (stream: string): string => `stave.logs.${stream}`;

/** Heartbeats of conductors and services, to every replica of cluster-service. */
export const heartbeatSubject = 'stave.ring.heartbeat';
/** Answers to a member's heartbeats. */
export const heartbeatReplySubject = (member: string): string => `stave.ring.heartbeat-reply.${member}`;
/** Told to everybody when the ring has a new epoch. */
export const epochSubject = 'stave.ring.epoch';
/** Tells a conductor that a task it holds was superseded. */
export const cancelSubject = (conductor: string): string => `stave.ring.cancel.${conductor}`;

/** A service refused a report: the conductor is not the holder of the claim (any more). */
export const staleSubject = 'stave.ring.stale';

/** What nodes use, as conductors sample it. */
export const usageSubject = 'stave.telemetry.node-usage';
