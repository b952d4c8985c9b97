const codes = { red: 31, green: 32, yellow: 33, dim: 2 } as const;

const statuses: Readonly<Record<string, keyof typeof codes>> = {
  ACTIVE: 'green',
  SUCCEEDED: 'green',
  LIVE: 'green',
  FAILED: 'red',
  DEGRADED: 'red',
  UNREACHABLE: 'red',
  UNSCHEDULABLE: 'red',
  QUARANTINED: 'red',
  CREATING: 'yellow',
  UPDATING: 'yellow',
  DELETING: 'yellow',
  RUNNING: 'yellow',
  PENDING: 'yellow',
  DRAINING: 'yellow',
  REPLACING: 'yellow',
  REBOOTING: 'yellow',
  PAUSED: 'dim',
};

/** Colours a cell of a table that is a status. The text is padded already, since colours have no width. */
export function paintStatus(cell: string): string {
  const color = statuses[cell.trimEnd()];
  return color === undefined ? cell : `\u001b[${codes[color]}m${cell}\u001b[0m`;
}

export const unpainted = (cell: string): string => cell;
