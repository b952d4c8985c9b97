import { exact, listOf, named, primitives as p } from '@stave/contracts/schemas';

/** A problem of RFC 9457 with its stable `code`. A refusal can carry more members: candidates, conductors that are available. */
export const problem = named('Problem', {
  ...exact(
    {
      type: p.anyString,
      title: p.anyString,
      status: p.anyInteger,
      detail: p.anyString,
      instance: p.anyString,
      code: p.anyString,
      correlationId: p.anyString,
    },
    { errors: listOf(exact({ pointer: p.anyString, code: p.anyString, detail: p.anyString })) },
  ),
  additionalProperties: true,
});
