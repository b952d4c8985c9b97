import { WrongExpectedRevisionError, type EventStore } from '@stave/platform';
import { v7 as uuidv7 } from 'uuid';
import { newEvents, RECONCILER } from '../resources/new-events.js';

const STREAM = 'installation';

/** Returns the id of the installation, which identifies its log; the first process creates it in the first event of its stream. */
export async function installationId(store: EventStore): Promise<string> {
  for (;;) {
    const [first] = await store.readStream(STREAM, { limit: 1 });
    if (first) return (first.data as { readonly id: string }).id;
    const id = uuidv7();
    try {
      await store.append(
        STREAM,
        newEvents(
          STREAM,
          -1,
          [{ type: 'InstallationCreated', data: { id } }],
          { correlationId: id, actor: RECONCILER },
          new Date().toISOString(),
        ),
        'no_stream',
      );
      return id;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
    }
  }
}
