import type { Dashboard } from './panels.js';
import { one, rate, times } from './queries.js';

const http = 'stave_http_request_duration_seconds';

export const requests: Dashboard = {
  uid: 'stave-requests',
  title: 'Stave: requests',
  rows: [
    {
      title: 'REST',
      panels: [
        one(
          'Requests by route',
          'Finished requests.',
          'reqps',
          rate(`${http}_count`, 'method, route'),
          '{{method}} {{route}}',
        ),
        one(
          'Requests by status',
          'What clients were answered.',
          'reqps',
          rate(`${http}_count`, 'status'),
          '{{status}}',
        ),
        times(
          'Time of requests',
          'From the request to the end of its answer; event streams last long.',
          http,
          'method',
        ),
        one('Open event streams', 'Readers at each gateway.', 'short', 'sum(stave_event_stream_readers)', 'streams'),
        one(
          'Ends of event streams',
          'A slow reader is cut and resumes.',
          'reqps',
          rate('stave_event_stream_ends_total', 'reason'),
          '{{reason}}',
        ),
        one(
          'Highest use of a quota',
          'The project that is closest to its limit.',
          'percentunit',
          'max by (dimension) (stave_quota_highest_use_ratio)',
          '{{dimension}}',
        ),
      ],
    },
    {
      title: 'Services',
      panels: [
        one(
          'Commands by service',
          'Requests of gateways, services and conductors.',
          'reqps',
          rate('stave_command_duration_seconds_count', 'service, verb'),
          '{{service}} {{verb}}',
        ),
        one(
          'Commands by outcome',
          '`ok`, or the kind of the refusal.',
          'reqps',
          rate('stave_command_duration_seconds_count', 'outcome'),
          '{{outcome}}',
        ),
        times('Time of commands', 'From the request to the reply.', 'stave_command_duration_seconds', 'service'),
      ],
    },
  ],
};
