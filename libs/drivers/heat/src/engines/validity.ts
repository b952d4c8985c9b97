const minute = 60_000;
const secondsOfDay = 86_400;

/** How long authorities of clusters are valid, in days. */
export const authorityDays = 3_650;
/** How long the certificates are valid that `credentials` returns, in days. */
export const clientDays = 30;

/** From when a certificate is valid that is issued now: clocks of machines differ. */
export const startOfValidity = (): Date => new Date(Date.now() - 5 * minute);

export const daysOf = (seconds: number): number => seconds / secondsOfDay;
