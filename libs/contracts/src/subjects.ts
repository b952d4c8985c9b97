export type ServiceName = 'cluster-service' | 'nodegroup-service' | 'container-scheduler';

/** Returns `stave.cmd.<service>.<resource>.<verb>`; the queue group is the service's name. */
export const commandSubject = (service: ServiceName, resource: string, verb: string): string =>
  `stave.cmd.${service}.${resource}.${verb}`;

/**
 * The subject of a command that a conductor sends, `stave.from.<token of its group>.<service>.<resource>.<verb>`: who may publish on it
 * belongs to the group. Conductors of earlier releases send on {@link commandSubject}.
 */
export const memberSubject = (groupToken: string, service: ServiceName, resource: string, verb: string): string =>
  `stave.from.${groupToken}.${service}.${resource}.${verb}`;

/** The subject of hints that a resource in this slot has open work; the body is a WorkHint. Only the slot's holder subscribes. */
export const workSubject = (keyToken: string, slot: number | '*'): string => `stave.work.${keyToken}.${slot}`;

/** The subject of requests to the slot's holder that change nothing (logs, stats, inspect). */
export const callSubject = (keyToken: string, slot: number | '*'): string => `stave.call.${keyToken}.${slot}`;

/** The subject of requests for the next piece of a log, to the conductor that follows it. */
export const logStreamSubject = (groupToken: string, stream: string): string => `stave.logs.${groupToken}.${stream}`;
/** Whether a conductor that follows a log serves this subject, and nobody else. */
export const isLogStreamSubject = (subject: string): boolean => /^stave\.logs\.[\w.-]+$/.test(subject);

/** The subject of heartbeats of services, and of conductors of earlier releases, to every replica of cluster-service. */
export const heartbeatSubject = 'stave.ring.heartbeat';
/** The subject of heartbeats of the conductors of a group. */
export const groupHeartbeatSubject = (groupToken: string | '*'): string => `${heartbeatSubject}.${groupToken}`;

/** Whether a message on this subject is a heartbeat. */
export const isHeartbeatSubject = (subject: string): boolean =>
  subject === heartbeatSubject || subject.startsWith(`${heartbeatSubject}.`);

/** A member in the form of its subjects: with the token of its group, where it is a conductor of this release. */
const addressed = (name: string, groupToken: string | undefined): string =>
  groupToken === undefined ? name : `${groupToken}.${name}`;

/** The subject of answers to a member's heartbeats. */
export const heartbeatReplySubject = (member: string, groupToken?: string): string =>
  `stave.ring.heartbeat-reply.${addressed(member, groupToken)}`;
/** The subject of requests to the process that has this session; nobody else subscribes. */
export const sessionSubject = (session: string, groupToken?: string): string =>
  `stave.ring.session.${addressed(session, groupToken)}`;
/** The subject on which a new epoch of the ring is published. */
export const epochSubject = 'stave.ring.epoch';
/** The subject on which a conductor is notified that a task it holds was superseded. */
export const cancelSubject = (conductor: string, groupToken?: string): string =>
  `stave.ring.cancel.${addressed(conductor, groupToken)}`;

/** The subject for refused reports: the conductor does not hold the claim. */
export const staleSubject = 'stave.ring.stale';

/** The subject of reports of when API keys were used, published by gateways to every replica of cluster-service. */
export const keyUsageSubject = 'stave.telemetry.key-usage';

/** The subject of usage samples of nodes, published by conductors. */
export const usageSubject = 'stave.telemetry.node-usage';
/** The subject of usage samples from the conductors of a group. Those of earlier releases publish without the token. */
export const groupUsageSubject = (groupToken: string | '*'): string => `${usageSubject}.${groupToken}`;

/** The subject of usage samples of containers, published by conductors. */
export const containerUsageSubject = 'stave.telemetry.container-usage';
export const groupContainerUsageSubject = (groupToken: string | '*'): string =>
  `${containerUsageSubject}.${groupToken}`;

/** The subject on which the elected replica of a service publishes up to which position everything that ended is settled. */
export const settledSubject = (service: ServiceName): string => `stave.settled.${service}`;
