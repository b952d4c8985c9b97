/** A check that is taken out, so that the simulation has to notice. */
export type Mutation =
  | 'claim-check'
  | 'report-equality'
  | 'expected-revision'
  | 'generation-check'
  | 'adoption'
  | 'session-guard'
  | 'overtaken-join'
  | 'first-seen'
  | 'any-answer'
  | 'sweep-judge'
  | 'ring-behind'
  | 'lost-hand-out';
