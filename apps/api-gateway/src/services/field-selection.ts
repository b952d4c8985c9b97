import { isObject } from '../http/members.js';

type Document = Readonly<Record<string, unknown>>;

/** Splits `a.b` at the first dot unless the complete path is a member: keys of labels contain dots. */
function pick(document: Document, path: string): Document {
  if (path in document) return { [path]: document[path] };
  const dot = path.indexOf('.');
  const inner = document[path.slice(0, dot)];
  if (dot < 0 || !isObject(inner)) return {};
  return { [path.slice(0, dot)]: pick(inner, path.slice(dot + 1)) };
}

function merged(a: Document, b: Document): Document {
  const result: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const known = result[key];
    result[key] = isObject(known) && isObject(value) && known !== value ? merged(known, value) : value;
  }
  return result;
}

/** Returns the document with the fields of `fields=a,b.c` and its id. Fields that it does not have are left out. */
export function selectFields(document: unknown, fields: unknown): unknown {
  if (typeof fields !== 'string' || !isObject(document)) return document;
  return ['id', ...fields.split(',')].reduce<Document>((chosen, field) => merged(chosen, pick(document, field)), {});
}

export function selectInPage(page: unknown, fields: unknown): unknown {
  if (typeof fields !== 'string' || !isObject(page) || !Array.isArray(page['items'])) return page;
  return { ...page, items: page['items'].map((item: unknown) => selectFields(item, fields)) };
}
