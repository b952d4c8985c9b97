import { isIPv4, isIPv6 } from 'node:net';
import { durationMs, isExistingDay } from '@stave/contracts';
import { Ajv } from 'ajv';
import { isPlainLine } from './json-limits.js';

const cidrLengths: readonly (readonly [(address: string) => boolean, number])[] = [
  [isIPv4, 32],
  [isIPv6, 128],
];

function isCidr(value: string): boolean {
  const [address = '', length = '', ...rest] = value.split('/');
  if (rest.length > 0 || !/^[0-9]{1,3}$/.test(length)) return false;
  return cidrLengths.some(([isAddress, most]) => isAddress(address) && Number(length) <= most);
}

const isDateTime = (value: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value) &&
  !Number.isNaN(Date.parse(value)) &&
  isExistingDay(value);

/**
 * Returns an ajv with Stave's formats and the keyword `immutable`. With `coerce`, text becomes numbers and booleans, for query strings.
 * It compiles a schema when it is first used, once: starting does not pay for schemas that no request needs.
 */
export function createAjv(coerce: boolean): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    coerceTypes: coerce,
    discriminator: true,
    allowUnionTypes: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    ownProperties: true,
    verbose: true, // errors carry the schema that they are of
  });
  ajv.addFormat('cidr', isCidr);
  ajv.addFormat('ipv4', isIPv4);
  ajv.addFormat('date-time', isDateTime);
  ajv.addFormat('line', isPlainLine);
  ajv.addFormat('existing-day', text => durationMs(text) !== undefined || isExistingDay(text));
  ajv.addKeyword({ keyword: 'immutable', validate: (): boolean => false });
  return ajv;
}
