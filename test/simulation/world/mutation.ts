/** A check that is taken out, so that the simulation has to notice. */
export type Mutation =
  | 'claim-check'
  | 'report-equality'
  | 'expected-revision'
  | 'generation-check'
  | 'session-guard'
  | 'overtaken-join'
  | 'lost-hand-out';
