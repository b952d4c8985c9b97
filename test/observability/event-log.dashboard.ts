import type { Dashboard } from './panels.js';
import { one, rate, times } from './queries.js';

export const log: Dashboard = {
  uid: 'stave-event-log',
  title: 'Stave: event log and services',
  rows: [
    {
      title: 'Event log',
      panels: [
        one(
          'Appends by category',
          'Appends and their outcomes.',
          'ops',
          rate('stave_append_duration_seconds_count', 'category, outcome'),
          '{{category}} {{outcome}}',
        ),
        times('Time of appends', 'Every change waits for at least one.', 'stave_append_duration_seconds', ''),
        one(
          'Conflicts',
          'Another writer was first; the decision is made again.',
          'ops',
          rate('stave_append_conflicts_total', 'category'),
          '{{category}}',
        ),
        one('Events by type', 'Events appended.', 'ops', rate('stave_events_appended_total', 'type'), '{{type}}'),
        one(
          'Event store answers',
          '0: the last call was not answered.',
          'short',
          'min by (instance) (stave_event_store_up)',
          '{{instance}}',
        ),
        one(
          'Connections to NATS',
          '0: a connection of the process is down.',
          'short',
          'min by (instance) (stave_messaging_up)',
          '{{instance}}',
        ),
      ],
    },
    {
      title: 'Feeds and read models',
      panels: [
        times(
          'Age of events when they are handled',
          'By the clocks of two processes.',
          'stave_feed_delay_seconds',
          'service',
        ),
        one('Events handled', 'By each service.', 'ops', rate('stave_feed_events_total', 'service'), '{{service}}'),
        one(
          'Lag of read models',
          'For how long lists have not shown everything.',
          's',
          'max by (service) (stave_read_model_lag_seconds)',
          '{{service}}',
        ),
        one(
          'Reconcile queues',
          'Resources that wait for their reconciler.',
          'short',
          'max by (service, queue) (stave_reconcile_queue_length)',
          '{{service}} {{queue}}',
        ),
        one('Elected replicas', 'One for each service.', 'short', 'sum by (service) (stave_leader)', '{{service}}'),
        one(
          'Events after the snapshot',
          'What a start now would handle again.',
          'short',
          'max by (instance) (stave_snapshot_unsaved_events)',
          '{{instance}}',
        ),
      ],
    },
    {
      title: 'Processes',
      panels: [
        one('CPU', 'Seconds per second.', 'short', rate('process_cpu_seconds_total', 'instance'), '{{instance}}'),
        one('Memory', 'Resident memory.', 'bytes', 'max by (instance) (process_resident_memory_bytes)', '{{instance}}'),
        one(
          'Lag of the event loop',
          '99th percentile.',
          's',
          'max by (instance) (nodejs_eventloop_lag_p99_seconds)',
          '{{instance}}',
        ),
      ],
    },
  ],
};
