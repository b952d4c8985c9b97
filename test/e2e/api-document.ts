import { createAjv } from '@stave/service-kit';
import { StaveClient, type SendOptions, type StaveAnswer } from '@stave/testing';

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, object>> }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

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

  private constructor(document: Document) {
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
    const [path = ''] = target.split('?');
    const entry = this.entries.find(known => known.method === method && known.pattern.test(path));
    if (!entry) throw new Error(`the document has no ${method} ${path}`);
    const { operationId, responses, pointer } = entry;
    const key = String(status) in responses ? String(status) : 'default';
    if (key === 'default' && status < 400) throw new Error(`${operationId} answered ${status}, which is not declared`);
    if (key !== 'default' && status < 300) this.reached.add(operationId);
    const { content } = responses[key] ?? {};
    const [type = ''] = headers.get('content-type')?.split(';') ?? [];
    if (!content) {
      if (text !== '') throw new Error(`${operationId} answered ${status} with a body`);
      return;
    }
    if (!(type in content)) throw new Error(`${operationId} answered ${status} as ${type}, which is not declared`);
    const schema = `doc#${pointer}/responses/${key}/content/${escaped(type)}/schema`;
    this.validate(`${operationId} ${status}`, schema, body === undefined ? text : body);
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
