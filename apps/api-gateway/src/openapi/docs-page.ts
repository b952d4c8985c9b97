/** Lists what /openapi.json says. One file, nothing loaded from elsewhere; text goes in as text, never as markup. */
export const docsPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Stave API</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; }
h2 { margin-top: 2rem; border-bottom: 1px solid #d0d7de; }
summary { cursor: pointer; padding: .3rem 0; }
code { font: 13px ui-monospace, monospace; }
.method { display: inline-block; width: 4.5rem; font-weight: 600; }
pre { background: #f6f8fa; padding: .8rem; overflow: auto; }
</style>
<h1>Stave API</h1>
<p><a href="/openapi.json">openapi.json</a></p>
<main>Loading…</main>
<script>
const el = (name, text, cls) => { const e = document.createElement(name); if (text) e.textContent = text; if (cls) e.className = cls; return e; };
const resolve = (doc, schema) => schema && schema.$ref ? doc.components.schemas[schema.$ref.split('/').pop()] : schema;
const block = (parent, title, value) => { if (value === undefined) return; parent.append(el('h4', title)); parent.append(el('pre', JSON.stringify(value, null, 2))); };
fetch('/openapi.json').then(r => r.json()).then(doc => {
  const main = document.querySelector('main'); main.textContent = '';
  const tags = new Map();
  for (const [path, methods] of Object.entries(doc.paths)) for (const [method, op] of Object.entries(methods)) {
    if (!tags.has(op.tags[0])) tags.set(op.tags[0], []);
    tags.get(op.tags[0]).push({ path, method, op });
  }
  for (const [tag, ops] of tags) {
    main.append(el('h2', tag));
    for (const { path, method, op } of ops) {
      const d = el('details'), s = el('summary');
      s.append(el('code', method.toUpperCase(), 'method'), el('code', path), el('span', ' — ' + op.summary));
      d.append(s);
      block(d, 'Parameters', op.parameters.length ? op.parameters.map(p => p.in + ' ' + p.name + (p.required ? ' (required)' : '')) : undefined);
      const body = op.requestBody && op.requestBody.content['application/json'];
      block(d, 'Example body', body && body.example);
      block(d, 'Body', body && resolve(doc, body.schema));
      block(d, 'Answers', Object.fromEntries(Object.entries(op.responses).map(([k, v]) => [k, v.description])));
      main.append(d);
    }
  }
}).catch(e => { document.querySelector('main').textContent = 'openapi.json cannot be read: ' + e.message; });
</script>
</html>
`;
