import { IsInt, IsNotEmpty, Max, Min } from 'class-validator';

/** The environment of `npm run event-store`. */
export class EventStoreEnvironment {
  @IsNotEmpty({ message: 'is required' })
  HOST = '127.0.0.1';

  @IsInt({ message: 'must be a port number' })
  @Min(0, { message: 'must be a port number' })
  @Max(65_535, { message: 'must be a port number' })
  PORT = 2113;

  @IsNotEmpty({ message: 'is required' })
  DATA_DIR = 'data';
}
