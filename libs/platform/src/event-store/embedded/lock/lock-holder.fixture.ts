import { argv, stdout } from 'node:process';
import { EmbeddedEventStore } from '../embedded.event-store.js';

/** A process that opens the log of a directory, says so, and holds it until it is killed. */
EmbeddedEventStore.open({ directory: argv[2] ?? '' }).then(
  () => {
    stdout.write('open\n');
    setInterval(() => undefined, 1000);
  },
  (error: unknown) => {
    stdout.write(`${String(error)}\n`);
    process.exitCode = 1;
  },
);
