import { gauge } from '@stave/platform';

const age = gauge(
  {
    name: 'stave_snapshot_age_seconds',
    help: 'Time since this process has written its snapshot, or since its start',
    labels: [],
  },
  'highest',
);
const unsaved = gauge(
  {
    name: 'stave_snapshot_unsaved_events',
    help: 'Events after the snapshot, which a start now would handle again',
    labels: [],
  },
  'highest',
);

/** Shows the age of a snapshot, whose `savedAt` is in monotonic milliseconds, and what came after it. */
export function observeSnapshot(file: { readonly savedAt: number; readonly unsaved: number }): void {
  age.from({}, file, ({ savedAt }) => (performance.now() - savedAt) / 1_000);
  unsaved.from({}, file, each => each.unsaved);
}
