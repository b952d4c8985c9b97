export type ServiceName = 'cluster-service' | 'nodegroup-service' | 'container-scheduler';

/** Returns `stave.cmd.<service>.<resource>.<verb>`; the queue group is the service's name. */
export const commandSubject = (service: ServiceName, resource: string, verb: string): string =>
  `stave.cmd.${service}.${resource}.${verb}`;

/** The subject of hints that a resource in this slot has open work; the body is a WorkHint. Only the slot's holder subscribes. */
export const workSubject = (keyToken: string, slot: number | '*'): string => `stave.work.${keyToken}.${slot}`;

/** The subject of requests to the slot's holder that change nothing (logs, stats, inspect). */
export const callSubject = (keyToken: string, slot: number | '*'): string => `stave.call.${keyToken}.${slot}`;

/** The subject of requests for the next piece of a log, to the conductor that follows it. */
export const logStreamSubject = (stream: string): string => `stave.logs.${stream}`;

/** The subject of heartbeats of conductors and services, to every replica of cluster-service. */
export const heartbeatSubject = 'stave.ring.heartbeat';
/** The subject of answers to a member's heartbeats. */
export const heartbeatReplySubject = (member: string): string => `stave.ring.heartbeat-reply.${member}`;
/** The subject of requests to the process that has this session; nobody else subscribes. */
export const sessionSubject = (session: string): string => `stave.ring.session.${session}`;
/** The subject on which a new epoch of the ring is published. */
export const epochSubject = 'stave.ring.epoch';
/** The subject on which a conductor is notified that a task it holds was superseded. */
export const cancelSubject = (conductor: string): string => `stave.ring.cancel.${conductor}`;

/** The subject for refused reports: the conductor does not hold the claim. */
export const staleSubject = 'stave.ring.stale';

/** The subject of reports of when API keys were used, published by gateways to every replica of cluster-service. */
export const keyUsageSubject = 'stave.telemetry.key-usage';

/** The subject of usage samples of nodes, published by conductors. */
export const usageSubject = 'stave.telemetry.node-usage';

/** The subject of usage samples of containers, published by conductors. */
export const containerUsageSubject = 'stave.telemetry.container-usage';

/** The subject on which the elected replica of a service publishes up to which position everything that ended is settled. */
export const settledSubject = (service: ServiceName): string => `stave.settled.${service}`;
