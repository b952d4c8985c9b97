/** A block of IPv4 addresses: the first one as a number, and the length of the prefix. */
export interface Subnet {
  readonly base: number;
  readonly prefix: number;
}

const BITS = 32;

export const blockSize = ({ prefix }: Pick<Subnet, 'prefix'>): number => 2 ** (BITS - prefix);

/** Returns the address as a number; undefined for text that is none. */
export function addressOf(text: string): number | undefined {
  const parts = text.split('.').map(part => (/^\d{1,3}$/.test(part) ? Number(part) : NaN));
  if (parts.length !== 4 || parts.some(part => !(part <= 255))) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

/** Returns the block of a text such as `10.1.0.0/16`, from the first of its addresses; undefined for text that is none. */
export function subnetOf(text: string): Subnet | undefined {
  const [address = '', length = ''] = text.split('/');
  const given = addressOf(address);
  const prefix = /^\d{1,2}$/.test(length) ? Number(length) : NaN;
  if (given === undefined || !(prefix <= BITS)) return undefined;
  return { base: Math.floor(given / blockSize({ prefix })) * blockSize({ prefix }), prefix };
}

const addressText = (address: number): string =>
  [24, 16, 8, 0].map(shift => Math.floor(address / 2 ** shift) % 256).join('.');

export const subnetText = ({ base, prefix }: Subnet): string => `${addressText(base)}/${prefix}`;

/** Returns whether a container may have the address: one of the block that is neither its first, nor its last, nor the gateway. */
export function isHostAddress(subnet: Subnet, address: string, gateway?: string): boolean {
  const given = addressOf(address);
  if (given === undefined || address === gateway) return false;
  const { base } = subnet;
  return given > base && given < base + blockSize(subnet) - 1;
}

/** The blocks that are taken, each by an owner, with the addresses taken inside every larger block. It is changed in place. */
export interface TakenSubnets {
  readonly owners: Map<string, string>;
  /** The number of addresses that are taken inside a block, by the block. */
  readonly taken: Map<string, number>;
}

export const noSubnets = (): TakenSubnets => ({ owners: new Map(), taken: new Map() });

const enclosing = ({ base }: Subnet, prefix: number): Subnet => {
  const size = blockSize({ prefix });
  return { base: Math.floor(base / size) * size, prefix };
};

const halvesOf = (block: Subnet): readonly [Subnet, Subnet] => {
  const prefix = block.prefix + 1;
  return [
    { base: block.base, prefix },
    { base: block.base + blockSize({ prefix }), prefix },
  ];
};

/** Takes a free block for an owner. The cost does not depend on the number of blocks. */
export function takeSubnet({ owners, taken }: TakenSubnets, subnet: Subnet, owner: string): void {
  owners.set(subnetText(subnet), owner);
  count(taken, subnet, blockSize(subnet));
}

export function freeSubnet({ owners, taken }: TakenSubnets, subnet: Subnet): void {
  if (owners.delete(subnetText(subnet))) count(taken, subnet, -blockSize(subnet));
}

function count(taken: Map<string, number>, subnet: Subnet, addresses: number): void {
  for (let prefix = 0; prefix <= subnet.prefix; prefix += 1) {
    const key = subnetText(enclosing(subnet, prefix));
    const sum = (taken.get(key) ?? 0) + addresses;
    if (sum === 0) taken.delete(key);
    else taken.set(key, sum);
  }
}

/** Returns the owner of a block that overlaps this one; undefined where there is none. */
export function overlapping({ owners, taken }: TakenSubnets, subnet: Subnet): string | undefined {
  for (let prefix = 0; prefix <= subnet.prefix; prefix += 1) {
    const owner = owners.get(subnetText(enclosing(subnet, prefix)));
    if (owner !== undefined) return owner;
  }
  for (let block: Subnet | undefined = subnet; block;) {
    const owner = owners.get(subnetText(block));
    if (owner !== undefined) return owner;
    block = block.prefix === BITS ? undefined : halvesOf(block).find(half => taken.has(subnetText(half)));
  }
  return undefined;
}

/** Returns the first free block of this prefix inside the pool; undefined where the pool is full. */
export function freeBlock(subnets: TakenSubnets, pool: Subnet, prefix: number): Subnet | undefined {
  const outside = Array.from({ length: pool.prefix }, (_, length) => enclosing(pool, length));
  return outside.some(block => subnets.owners.has(subnetText(block))) ? undefined : freeIn(subnets, pool, prefix);
}

function freeIn(subnets: TakenSubnets, block: Subnet, prefix: number): Subnet | undefined {
  const used = subnets.taken.get(subnetText(block)) ?? 0;
  if (used === 0) return { base: block.base, prefix };
  if (block.prefix >= prefix || used >= blockSize(block)) return undefined;
  const [lower, upper] = halvesOf(block);
  return freeIn(subnets, lower, prefix) ?? freeIn(subnets, upper, prefix);
}

/** The blocks of networks in clusters whose `network.cidr` names no pool. */
const DEFAULT_POOL: Subnet = { base: 10 * 2 ** 24 + 64 * 2 ** 16, prefix: 10 };
const USUAL_PREFIX = 24;
const LONGEST_PREFIX = 28;

/** Returns the pool of a cluster and the prefix of the blocks that its networks get: at least sixteen of them where the pool is small. */
export function subnetPool(cidr: string | undefined): { readonly pool: Subnet; readonly prefix: number } {
  const pool = (cidr === undefined ? undefined : subnetOf(cidr)) ?? DEFAULT_POOL;
  const prefix = Math.min(LONGEST_PREFIX, Math.max(USUAL_PREFIX, pool.prefix + 4));
  return { pool, prefix: Math.max(prefix, pool.prefix) };
}
