type Document = Readonly<Record<string, unknown>>;

const isDocument = (value: unknown): value is Document => typeof value === 'object' && value !== null;

/** `fields=a,b` leaves these members (and the id). A field that a document has not is left out. */
export function selectFields(document: unknown, fields: unknown): unknown {
  if (typeof fields !== 'string' || !isDocument(document)) return document;
  const wanted = ['id', ...fields.split(',')];
  return Object.fromEntries(wanted.filter(field => field in document).map(field => [field, document[field]]));
}

export function selectInPage(page: unknown, fields: unknown): unknown {
  if (typeof fields !== 'string' || !isDocument(page) || !Array.isArray(page['items'])) return page;
  return { ...page, items: page['items'].map((item: unknown) => selectFields(item, fields)) };
}
