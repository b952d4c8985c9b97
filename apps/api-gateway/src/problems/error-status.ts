import type { ErrorKind } from '@stave/contracts';

/** The HTTP status of every kind of error; a new kind does not compile without its row. */
export const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  rule: 422,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  precondition: 412,
  capacity: 409,
  unsupported: 422,
  unavailable: 503,
  internal: 500,
};

export const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};
