import { Ajv, type ErrorObject } from 'ajv';
import { isIPv4, isIPv6 } from 'node:net';

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
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value));

/** An ajv that knows Stave's formats and the keyword `immutable`. Query strings are text, so `coerce` turns them into numbers. */
export function makeAjv(coerce: boolean): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    coerceTypes: coerce,
    allowUnionTypes: true,
    strictTypes: false,
    ownProperties: true,
    verbose: true, // errors say which schema they are of
  });
  ajv.addFormat('cidr', isCidr);
  ajv.addFormat('ipv4', isIPv4);
  ajv.addFormat('date-time', isDateTime);
  ajv.addKeyword({ keyword: 'immutable', validate: (): boolean => false });
  return ajv;
}

export type { ErrorObject };
