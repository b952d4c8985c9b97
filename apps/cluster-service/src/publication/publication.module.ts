import { Module, type DynamicModule } from '@nestjs/common';
import { EventPublisher, type EventStore, type Logger, type PublicationLog } from '@stave/platform';
import { LeaderTasks, LOGGER, STORED_EVENTS } from '@stave/service-kit';

/** Publishes the events of the log while this replica leads. Without a publication log nothing is published. */
@Module({})
export class PublicationModule {
  static forRoot(publication: PublicationLog | undefined): DynamicModule {
    if (!publication) return { module: PublicationModule };
    const publisher = {
      provide: EventPublisher,
      inject: [STORED_EVENTS, LOGGER, LeaderTasks],
      useFactory: (eventStore: EventStore, log: Logger, tasks: LeaderTasks): EventPublisher => {
        const made = new EventPublisher({ eventStore, publication, log });
        tasks.add(made);
        return made;
      },
    };
    return { module: PublicationModule, providers: [publisher] };
  }
}
