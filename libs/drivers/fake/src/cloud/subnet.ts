/** Returns the number of addresses of a subnet in CIDR notation. */
export const sizeOf = (subnet: string): number => 2 ** (32 - Number(subnet.split('/')[1] ?? 32));

/** Returns the n-th address of a subnet, counted from 0. */
export function nthAddress(subnet: string, n: number): string {
  const size = sizeOf(subnet);
  const given = (subnet.split('/')[0] ?? '').split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const address = Math.floor(given / size) * size + n;
  return [24, 16, 8, 0].map(shift => Math.floor(address / 2 ** shift) % 256).join('.');
}
