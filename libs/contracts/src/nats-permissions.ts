import { foldGroup, groupToken, keyToken, ringKey } from '@stave/domain';
import {
  callSubject,
  cancelSubject,
  containerUsageSubject,
  epochSubject,
  groupContainerUsageSubject,
  groupHeartbeatSubject,
  groupUsageSubject,
  heartbeatReplySubject,
  heartbeatSubject,
  keyUsageSubject,
  logStreamSubject,
  sessionSubject,
  settledSubject,
  staleSubject,
  usageSubject,
  workSubject,
  type ServiceName,
} from './subjects.js';

/** A process of the product with a user of its own on the message server. */
export type ServiceUser = ServiceName | 'api-gateway';

export const serviceUsers: readonly ServiceUser[] = [
  'api-gateway',
  'cluster-service',
  'container-scheduler',
  'nodegroup-service',
];

/** Subjects that a user may publish to and subscribe to, besides answers to what it receives. */
export interface MessagePermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** The prefix of the subjects on which a service receives answers. */
export const serviceInbox = (service: ServiceUser): string => `_INBOX.${service}`;
/** The prefix of the subjects on which the conductors of a group receive answers. */
export const conductorInbox = (group: string): string => `_INBOX.${groupToken(group)}`;

/** Returns what a conductor of this group with these drivers needs, and nothing of other groups. */
export function conductorPermissions(group: string, drivers: readonly string[]): MessagePermissions {
  const token = groupToken(group);
  const keys = [...new Set(drivers)].sort().map(driver => keyToken(ringKey(foldGroup(group), driver, 'group')));
  return {
    publish: [
      `stave.from.${token}.>`,
      groupHeartbeatSubject(token),
      groupUsageSubject(token),
      groupContainerUsageSubject(token),
    ],
    subscribe: [
      ...keys.flatMap(key => [workSubject(key, '*'), callSubject(key, '*')]),
      heartbeatReplySubject('*', token),
      sessionSubject('*', token),
      cancelSubject('*', token),
      logStreamSubject(token, '*'),
      epochSubject,
      `${conductorInbox(group)}.>`,
    ],
  };
}

/**
 * Returns what a leaf node needs for the conductors of a group behind it. A server permits no answers to what it sends through a leaf
 * node, so the answers to services are permitted by their subjects.
 */
export function leafPermissions(group: string, drivers: readonly string[]): MessagePermissions {
  const { publish, subscribe } = conductorPermissions(group, drivers);
  return { publish: [...publish, ...serviceUsers.map(service => `${serviceInbox(service)}.>`)], subscribe };
}

const hasWildcard = (subject: string): boolean => /[*>]/.test(subject);
/** Published events are kept, so that a trial would stay among them. */
const isKept = (subject: string): boolean => subject.startsWith('stave.evt.') || subject.startsWith('$JS.');

/**
 * Returns what a process tries at its start: all subscriptions, and publications in places where nobody listens. What it publishes to single
 * subjects, such as heartbeats, shows itself whether it is permitted.
 */
export const neededOnNats = ({ publish, subscribe }: MessagePermissions): MessagePermissions => ({
  publish: publish.filter(subject => hasWildcard(subject) && !isKept(subject)),
  // candidates wait for the answers of all who listen
  subscribe: subscribe.filter(subject => !subject.startsWith('stave.elect.')),
});

const usage = [usageSubject, groupUsageSubject('*'), containerUsageSubject, groupContainerUsageSubject('*')];
/** The services whose replicas settle what ended. */
const settling: readonly ServiceName[] = ['cluster-service', 'container-scheduler', 'nodegroup-service'];

/** Returns what a service or a gateway needs. */
export function servicePermissions(service: ServiceUser): MessagePermissions {
  const inbox = `${serviceInbox(service)}.>`;
  const commands = settling.map(name => `stave.cmd.${name}.>`);
  if (service === 'api-gateway')
    return { publish: [...commands, callSubject('*', '*'), 'stave.logs.>', keyUsageSubject], subscribe: [inbox] };
  const election = `stave.elect.${service}`;
  return {
    publish: [
      ...commands,
      workSubject('*', '*'),
      callSubject('*', '*'),
      heartbeatSubject,
      cancelSubject('>'),
      election,
      settledSubject(service),
      staleSubject,
      ...(service === 'cluster-service' ? ofRing : []),
    ],
    subscribe: [
      `stave.cmd.${service}.>`,
      `stave.from.*.${service}.>`,
      heartbeatReplySubject('*'),
      sessionSubject('*'),
      election,
      settledSubject(service),
      ...(service === 'cluster-service' ? heardByRing : usage),
      inbox,
    ],
  };
}

/** What the owner of the ring publishes, and its published events. */
const ofRing = [heartbeatReplySubject('>'), sessionSubject('>'), epochSubject, 'stave.evt.>', '$JS.API.>'];
const heardByRing = [heartbeatSubject, groupHeartbeatSubject('*'), staleSubject, keyUsageSubject];
