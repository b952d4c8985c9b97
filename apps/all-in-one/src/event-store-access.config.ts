import { Matches } from 'class-validator';

/** The environment of `npm run event-store:access`. Nothing is taken from the command line, where others see it. */
export class EventStoreAccessEnvironment {
  /** The connection string of Stave, with the user and the password that it is to have. */
  @Matches(/^esdb(\+discover)?:\/\/.+$/, { message: 'takes the connection string of Stave' })
  EVENTSTORE_URL = '';

  /** The connection string of an administrator of the server. */
  @Matches(/^(esdb(\+discover)?:\/\/.+)?$/, { message: 'takes the connection string of an administrator' })
  EVENTSTORE_ADMIN_URL = '';

  /** A file with it, in its place. */
  EVENTSTORE_ADMIN_URL_FILE = '';
}
