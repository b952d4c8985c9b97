import type { Dashboard } from './panels.js';
import { one, rate, times } from './queries.js';

export const work: Dashboard = {
  uid: 'stave-work',
  title: 'Stave: operations, tasks and conductors',
  rows: [
    {
      title: 'Operations and tasks',
      panels: [
        one(
          'Operations that end',
          'By kind and status.',
          'ops',
          rate('stave_operation_duration_seconds_count', 'kind, status'),
          '{{kind}} {{status}}',
        ),
        times('Time of operations', 'From the acceptance to the end.', 'stave_operation_duration_seconds', 'kind'),
        one(
          'Operations that run',
          'By service.',
          'short',
          'max by (service) (stave_operations_running)',
          '{{service}}',
        ),
        one(
          'Ends of attempts',
          'As conductors report them.',
          'ops',
          rate('stave_task_reports_total', 'kind, outcome'),
          '{{kind}} {{outcome}}',
        ),
        {
          title: 'Open tasks',
          about: 'Tasks that wait or run, and those that are being retried.',
          unit: 'short',
          queries: [
            { expr: 'max by (resource) (stave_open_tasks)', legend: '{{resource}}' },
            { expr: 'max by (resource) (stave_retrying_tasks)', legend: '{{resource}} retried' },
          ],
        },
        one(
          'Oldest retried task',
          'Time since its first failure.',
          's',
          'max by (resource) (stave_oldest_retrying_task_age_seconds)',
          '{{resource}}',
        ),
      ],
    },
    {
      title: 'Conductors and drivers',
      panels: [
        one(
          'Members of the ring',
          'Conductors and services.',
          'short',
          'max by (kind, state) (stave_ring_members)',
          '{{kind}} {{state}}',
        ),
        one(
          'Slots by process',
          'The share of each conductor.',
          'short',
          'sum by (instance) (stave_conductor_slots)',
          '{{instance}}',
        ),
        one(
          'Tasks in flight',
          'By process.',
          'short',
          'sum by (instance) (stave_conductor_tasks_in_flight)',
          '{{instance}}',
        ),
        times('Time of attempts', 'By driver and kind of task.', 'stave_task_duration_seconds', 'driver, kind'),
        times('Driver steps', 'Where drivers spend their time.', 'stave_driver_step_duration_seconds', 'driver, step'),
        one(
          'Suspected losses',
          'Missing at once: nothing is rebuilt without a confirmation.',
          'short',
          'max(stave_mass_loss_suspected_nodes + stave_mass_loss_suspected_containers)',
          'missing',
        ),
      ],
    },
    {
      title: 'Placement and autoscaling',
      panels: [
        one(
          'Placement decisions',
          'Containers placed, and those without a node.',
          'ops',
          rate('stave_placement_decisions_total', 'outcome'),
          '{{outcome}}',
        ),
        times('Time of placement', 'For a batch of one cluster.', 'stave_placement_duration_seconds', ''),
        one(
          'Decisions of the autoscalers',
          'Out, in, and proposals withdrawn.',
          'ops',
          rate('stave_autoscaler_decisions_total', 'autoscaler, direction'),
          '{{autoscaler}} {{direction}}',
        ),
      ],
    },
  ],
};
