/** Returns the rounds of the suite of killed reservations: FAULT_ROUNDS, default 3. */
export function ledgerRounds(): number {
  return Number(process.env['FAULT_ROUNDS'] ?? 3);
}
