import { writeFileSync } from 'node:fs';
import { referenceFile, referenceText } from './reference-file.js';

// `npm run command-reference` writes the page of all commands.
writeFileSync(referenceFile, referenceText());
console.log(`${referenceFile} written`);
