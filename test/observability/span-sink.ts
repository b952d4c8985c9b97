import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/** A span as OTLP has it in JSON, with the process that sent it. */
export interface SunkSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes?: readonly { readonly key: string; readonly value: object }[];
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
    };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<SunkSpan, 'service'>[] }[];
  }[];
}

/** A collector that keeps every span it gets. */
export async function startSpanSink() {
  const spans: SunkSpan[] = [];
  const server = createServer((request, response) => {
    void json(request).then(body => {
      for (const { resource, scopeSpans } of (body as Export).resourceSpans) {
        const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
        for (const scope of scopeSpans) spans.push(...scope.spans.map(span => ({ ...span, service })));
      }
      response.setHeader('content-type', 'application/json').end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    spans,
    url: `http://127.0.0.1:${port}`,
    close: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}
