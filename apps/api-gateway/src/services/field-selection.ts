type Document = Readonly<Record<string, unknown>>;

const isDocument = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `a.b` by the first dot whose left side is a member: keys of labels have dots themselves. */
function pick(document: Document, path: string): Document {
  if (path in document) return { [path]: document[path] };
  const dot = path.indexOf('.');
  const inner = document[path.slice(0, dot)];
  if (dot < 0 || !isDocument(inner)) return {};
  return { [path.slice(0, dot)]: pick(inner, path.slice(dot + 1)) };
}

function merged(a: Document, b: Document): Document {
  const result: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const known = result[key];
    result[key] = isDocument(known) && isDocument(value) && known !== value ? merged(known, value) : value;
  }
  return result;
}

/** `fields=a,b.c` leaves these members (and the id). A field that a document has not is left out. */
export function selectFields(document: unknown, fields: unknown): unknown {
  if (typeof fields !== 'string' || !isDocument(document)) return document;
  return ['id', ...fields.split(',')].reduce<Document>((chosen, field) => merged(chosen, pick(document, field)), {});
}

export function selectInPage(page: unknown, fields: unknown): unknown {
  if (typeof fields !== 'string' || !isDocument(page) || !Array.isArray(page['items'])) return page;
  return { ...page, items: page['items'].map((item: unknown) => selectFields(item, fields)) };
}
