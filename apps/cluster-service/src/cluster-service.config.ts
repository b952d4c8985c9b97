import {
  BadEnvironmentError,
  readEnvironment,
  serviceConfigOf,
  ServiceEnvironment,
  type Environment,
  type ServiceConfig,
} from '@stave/platform';
import { IsInt, IsNotEmpty, Max, Min } from 'class-validator';

/** The environment of a cluster-service of its own process. */
export class ClusterServiceEnvironment extends ServiceEnvironment {
  /** The first administrator's key; made there, for its owner's eyes only, when the file is absent. */
  @IsNotEmpty({ message: 'is needed' })
  ADMIN_KEY_FILE = 'data/admin.key';

  /** How often conductors report. */
  @IsInt({ message: 'takes whole milliseconds' })
  @Min(100, { message: 'is at least 100' })
  @Max(60_000, { message: 'is at most 60000' })
  HEARTBEAT_MS = 2_000;

  /** After which silence a conductor's work goes to others. */
  @IsInt({ message: 'takes whole milliseconds' })
  @Min(400, { message: 'is at least 400' })
  @Max(600_000, { message: 'is at most 600000' })
  SESSION_TIMEOUT_MS = 8_000;
}

export interface ClusterServiceConfig extends ServiceConfig {
  readonly administratorKeyFile: string;
  readonly heartbeatMs: number;
  readonly sessionTimeoutMs: number;
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
  };
}
