/** The JetStream stream of published events. */
export const PUBLISHED_STREAM = 'STAVE_EVENTS';
export const PUBLISHED_SUBJECTS = 'stave.evt.>';
