// Reads an AsyncAPI document from the standard input and prints what the parser of AsyncAPI says of it.
import { text } from 'node:stream/consumers';
import { Parser } from '@asyncapi/parser';

const { document, diagnostics } = await new Parser().parse(await text(process.stdin));
console.log(JSON.stringify({ valid: document !== undefined, diagnostics }));
