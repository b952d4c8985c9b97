import { createAjv } from '@stave/service-kit';
import { StaveClient, type SendOptions, type StaveAnswer } from '@stave/testing';

interface Response {
  readonly headers: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, { readonly schema: { readonly anyOf?: readonly object[] } }>>;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
}

/** The headers that have a meaning for clients: an answer has them only where the document declares them. */
const meaningful = ['ETag', 'Location', 'Stave-Position', 'Retry-After', 'WWW-Authenticate', 'X-Correlation-Id'];

interface Entry extends Operation {
  readonly method: string;
  readonly pattern: RegExp;
  readonly pointer: string;
}

const escaped = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

function entriesOf({ paths }: Document): Entry[] {
  const entries = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
      pointer: `/paths/${escaped(path)}/${method}`,
    })),
  );
  return entries.sort((a, b) => Number(a.pointer.includes('%7B')) - Number(b.pointer.includes('%7B')));
}

/** The OpenAPI document of a running product, against which answers are checked. */
export class ApiDocument {
  /** The ids of operations that answered with a 2xx status. */
  readonly reached = new Set<string>();
  private readonly entries: readonly Entry[];
  private readonly ajv = createAjv(false).addVocabulary(['paths', 'components', 'example']);

  private constructor(private readonly document: Document) {
    this.entries = entriesOf(document);
    this.ajv.addSchema({ $id: 'doc', paths: document.paths, components: document.components }, 'doc', false, false);
  }

  static async of(url: string): Promise<ApiDocument> {
    const document: unknown = await (await fetch(`${url}/openapi.json`)).json();
    return new ApiDocument(document as Document);
  }

  get operationIds(): readonly string[] {
    return this.entries.map(({ operationId }) => operationId);
  }

  /** Throws when the document does not declare the answer for the operation, its status and its media type. */
  check(method: string, target: string, { status, headers, text, body }: StaveAnswer<unknown>): void {
    const [path = '', query = ''] = target.split('?');
    const entry = this.entries.find(known => known.method === method && known.pattern.test(path));
    if (!entry) throw new Error(`the document has no ${method} ${path}`);
    const { operationId, responses } = entry;
    const key = String(status) in responses ? String(status) : 'default';
    if (key === 'default') throw new Error(`${operationId} answered ${status}, which is not declared`);
    if (status < 300) this.reached.add(operationId);
    const { headers: declared, content, pointer } = this.responseOf(entry, key);
    checkHeaders(`${operationId} ${status}`, declared, headers);
    const [type = ''] = headers.get('content-type')?.split(';') ?? [];
    if (!content) {
      if (text !== '') throw new Error(`${operationId} answered ${status} with a body`);
      return;
    }
    const media = content[type];
    if (!media) throw new Error(`${operationId} answered ${status} as ${type}, which is not declared`);
    const schema = `doc#${pointer}/content/${escaped(type)}/schema`;
    // the second form of an answer to a read is that of the fields that the request chose
    const isRead = method === 'GET' && media.schema.anyOf;
    const form = isRead ? `/anyOf/${new URLSearchParams(query).has('fields') ? 1 : 0}` : '';
    this.validate(`${operationId} ${status}`, schema + form, body === undefined ? text : body);
  }

  private responseOf({ responses, pointer }: Entry, key: string): Response & { readonly pointer: string } {
    const found = responses[key] ?? { headers: {} };
    if (!('$ref' in found)) return { ...found, pointer: `${pointer}/responses/${key}` };
    const name = found.$ref.split('/').at(-1) ?? '';
    const shared = this.document.components.responses[name];
    if (!shared) throw new Error(`the document has no ${found.$ref}`);
    return { ...shared, pointer: `/components/responses/${name}` };
  }

  private validate(what: string, $ref: string, value: unknown): void {
    const validate = this.ajv.getSchema($ref) ?? this.ajv.compile({ $ref });
    if (validate(value) === true) return;
    const errors = (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
    throw new Error(
      `${what} does not match the document:\n${errors.join('\n')}\n${JSON.stringify(value).slice(0, 2000)}`,
    );
  }
}

function checkHeaders(what: string, declared: Response['headers'], headers: Headers): void {
  for (const name of meaningful) {
    const is = headers.has(name);
    if (is && !(name in declared)) throw new Error(`${what} has the header ${name}, which is not declared`);
    if (!is && declared[name]?.required) throw new Error(`${what} lacks the declared header ${name}`);
  }
}

/** A client that checks every answer against the document. */
export class DocumentedClient extends StaveClient {
  constructor(
    url: string,
    key: string,
    readonly document: ApiDocument,
  ) {
    super(url, key);
  }

  override async send<T>(method: string, path: string, options: SendOptions = {}): Promise<StaveAnswer<T>> {
    const answer = await super.send<T>(method, path, options);
    this.document.check(method, path, answer);
    return answer;
  }
}
