/** Of JetStream. */
export const PUBLISHED_STREAM = 'STAVE_EVENTS';
export const PUBLISHED_SUBJECTS = 'stave.evt.>';
