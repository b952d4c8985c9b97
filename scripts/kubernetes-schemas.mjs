// Converts the OpenAPI document of Kubernetes to JSON Schemas for `kubeconform -strict`, one file for each kind. Members that Kubernetes
// does not know are refused, as a server with strict fields does.
//
//   node scripts/kubernetes-schemas.mjs <swagger.json> <directory>
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , source, directory] = process.argv;
const { definitions } = JSON.parse(readFileSync(source, 'utf8'));
mkdirSync(directory, { recursive: true });

for (const definition of Object.values(definitions)) {
  // unions that the document describes as texts
  if (definition.format === 'int-or-string') Object.assign(definition, { type: ['string', 'integer'] });
  if (definition.properties) definition.additionalProperties = false;
}
Object.assign(definitions['io.k8s.apimachinery.pkg.api.resource.Quantity'], { type: ['string', 'number'] });

/** Returns the names of the definitions that a schema refers to, directly or not. */
function referred(schema, found = new Set()) {
  for (const [, name] of JSON.stringify(schema).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    referred(definitions[name], found);
  }
  return found;
}

let written = 0;
for (const definition of Object.values(definitions)) {
  for (const { group, version, kind } of definition['x-kubernetes-group-version-kind'] ?? []) {
    if (!definition.properties?.metadata) continue;
    const suffix = [group.split('.')[0], version].filter(part => part !== '').join('-');
    const needed = Object.fromEntries([...referred(definition)].map(name => [name, definitions[name]]));
    const schema = { ...definition, required: ['apiVersion', 'kind', 'metadata'], definitions: needed };
    writeFileSync(join(directory, `${kind}-${suffix}.json`.toLowerCase()), JSON.stringify(schema));
    written++;
  }
}
console.log(`${written} schemas`);
