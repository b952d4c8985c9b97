import { Matches } from 'class-validator';
import type { StoreFileSettings } from '../transport/store-files.js';
import { IsTogether, STREAM_PREFIX, STREAM_PREFIX_RULE } from './process.environment.js';

/** A class of settings that others are added to. TypeScript takes no other type for the constructor of a mixin's base. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type SettingsClass = new (...given: any[]) => object;

/** Returns a class that also has the settings of the event store. */
export function withEventStore<Base extends SettingsClass>(base: Base) {
  class EventStoreEnvironment extends base {
    @Matches(/^esdb(\+discover)?:\/\/.+$/, { message: 'takes a connection string esdb://host:port' })
    EVENTSTORE_URL = 'esdb://127.0.0.1:2113?tls=false';

    /** The authorities that sign the certificates of the event store (PEM), in place of those of Node.js. */
    EVENTSTORE_CA_FILE = '';

    /** The certificate by which the event store knows this process; with EVENTSTORE_KEY_FILE. */
    @IsTogether('EVENTSTORE_KEY_FILE')
    EVENTSTORE_CERT_FILE = '';

    @IsTogether('EVENTSTORE_CERT_FILE')
    EVENTSTORE_KEY_FILE = '';

    /** The password of the user in EVENTSTORE_URL. */
    EVENTSTORE_PASSWORD_FILE = '';

    /** The prefix of all stream names, for installations that share an event store; empty: none. */
    @Matches(STREAM_PREFIX, { message: STREAM_PREFIX_RULE })
    EVENTSTORE_STREAM_PREFIX = '';
  }
  return EventStoreEnvironment;
}

type EventStoreVariables = InstanceType<ReturnType<typeof withEventStore<SettingsClass>>>;

export interface EventStoreSettings {
  /** A connection string of EventStoreDB. */
  readonly eventStoreUrl: string;
  /** The prefix of all stream names on the event store. */
  readonly streamPrefix: string;
  /** Absent: those that the connection string names. */
  readonly eventStoreFiles?: StoreFileSettings;
}

/** Returns the settings of the event store. */
export function eventStoreSettings(given: EventStoreVariables): EventStoreSettings {
  const { files } = fileSettings({
    caFile: given.EVENTSTORE_CA_FILE,
    certFile: given.EVENTSTORE_CERT_FILE,
    keyFile: given.EVENTSTORE_KEY_FILE,
    passwordFile: given.EVENTSTORE_PASSWORD_FILE,
  });
  return {
    eventStoreUrl: given.EVENTSTORE_URL,
    streamPrefix: given.EVENTSTORE_STREAM_PREFIX,
    ...(files && { eventStoreFiles: files }),
  };
}

/** Returns the files that are named, if any. */
export function fileSettings(files: StoreFileSettings): { readonly files?: StoreFileSettings } {
  const named = Object.entries(files).filter(([, file]) => file !== '');
  return named.length === 0 ? {} : { files: Object.fromEntries(named) };
}
