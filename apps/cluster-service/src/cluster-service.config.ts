import { BadEnvironmentError, IsIntegerIn, readEnvironment, type Environment } from '@stave/platform';
import { serviceConfigOf, ServiceEnvironment, type ServiceConfig } from '@stave/service-kit';
import { IsIn, IsNotEmpty } from 'class-validator';

/** The environment of a cluster-service of its own process. */
export class ClusterServiceEnvironment extends ServiceEnvironment {
  /** The first administrator's key; the file is created, readable by its owner only, when it is absent. */
  @IsNotEmpty({ message: 'is required' })
  ADMIN_KEY_FILE = 'data/admin.key';

  /** The interval at which conductors send heartbeats. */
  @IsIntegerIn(100, 60_000, 'milliseconds')
  HEARTBEAT_MS = 2_000;

  /** The time without a heartbeat after which a conductor's work goes to others. */
  @IsIntegerIn(400, 600_000, 'milliseconds')
  SESSION_TIMEOUT_MS = 8_000;

  /** `false`: events are not published on JetStream. */
  @IsIn(['true', 'false'], { message: 'must be true or false' })
  PUBLISH_EVENTS = 'true';

  /** The size of the stream of published events, when it is created. */
  @IsIntegerIn(1_048_576, 1_099_511_627_776, 'bytes')
  PUBLISHED_EVENTS_MAX_BYTES = 268_435_456;

  /** The replicas of the stream of published events, when it is created. */
  @IsIn([1, 3, 5], { message: 'takes 1, 3 or 5' })
  PUBLISHED_EVENTS_REPLICAS = 1;
}

export interface ClusterServiceConfig extends ServiceConfig {
  readonly administratorKeyFile: string;
  readonly heartbeatMs: number;
  readonly sessionTimeoutMs: number;
  /** Absent: events are not published. */
  readonly publication?: { readonly maxBytes: number; readonly replicas: number };
}

/** Throws BadEnvironmentError. */
export function clusterServiceConfig(env: Environment): ClusterServiceConfig {
  const given = readEnvironment(ClusterServiceEnvironment, env);
  if (given.SESSION_TIMEOUT_MS < 2 * given.HEARTBEAT_MS)
    throw new BadEnvironmentError(['SESSION_TIMEOUT_MS is at least twice HEARTBEAT_MS']);
  return {
    ...serviceConfigOf(given),
    administratorKeyFile: given.ADMIN_KEY_FILE,
    heartbeatMs: given.HEARTBEAT_MS,
    sessionTimeoutMs: given.SESSION_TIMEOUT_MS,
    ...(given.PUBLISH_EVENTS === 'true' && {
      publication: { maxBytes: given.PUBLISHED_EVENTS_MAX_BYTES, replicas: given.PUBLISHED_EVENTS_REPLICAS },
    }),
  };
}
