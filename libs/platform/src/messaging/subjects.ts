/** Whether a subject matches a pattern with `*` (one token) and `>` (one or more tokens, at the end), as in NATS. */
export function subjectMatches(pattern: string, subject: string): boolean {
  const wanted = pattern.split('.');
  const tokens = subject.split('.');
  for (const [at, token] of wanted.entries()) {
    if (token === '>') return tokens.length > at;
    if (tokens[at] === undefined || (token !== '*' && token !== tokens[at])) return false;
  }
  return wanted.length === tokens.length;
}

export function isPattern(subject: string): boolean {
  return subject.split('.').some(token => token === '*' || token === '>');
}
