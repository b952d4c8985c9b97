import { IsNotEmpty } from 'class-validator';
import { IsPort, ProcessEnvironment } from './process.environment.js';
import { withTls } from './tls.environment.js';

/** The environment variables of a process that serves nothing but its health port. */
export class HealthEnvironment extends withTls(ProcessEnvironment) {
  @IsNotEmpty({ message: 'is required' })
  HEALTH_HOST = '127.0.0.1';

  /** 0: no health port. */
  @IsPort()
  HEALTH_PORT = 0;
}
