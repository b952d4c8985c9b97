import { IsPort } from '@stave/platform';
import { IsNotEmpty } from 'class-validator';

/** The environment variables of every process with an embedded event store. */
export class EventStoreEnvironment {
  @IsNotEmpty({ message: 'is required' })
  HOST = '127.0.0.1';

  @IsPort()
  PORT = 2113;

  @IsNotEmpty({ message: 'is required' })
  DATA_DIR = 'data';
}
