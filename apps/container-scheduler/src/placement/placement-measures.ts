import { counter, timings } from '@stave/platform';

/** Decisions of the scheduler about single containers. */
export const placements = counter({
  name: 'stave_placement_decisions_total',
  help: 'Decisions about containers that wait for a node; `later`: what it attaches to is taken by others of its batch',
  labels: ['outcome'],
});

export const placementSeconds = timings({
  name: 'stave_placement_duration_seconds',
  help: 'Time to decide about a batch of up to 400 containers of one cluster, without the appends',
  labels: [],
});

/** Decisions of the autoscalers; none is counted where the number stays as it is. */
export const scalings = counter({
  name: 'stave_autoscaler_decisions_total',
  help: 'Decisions of the autoscalers that change a number: of the members of a set, or of the nodes of a node group, which are proposals',
  labels: ['autoscaler', 'direction'],
});
