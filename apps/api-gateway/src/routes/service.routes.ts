import { exact, named, oneOf, primitives as p, type JsonSchema } from '@stave/contracts/schemas';
import { omitUndefined } from '@stave/domain';
import { route, type Answers, type Route } from './route.js';

const state = oneOf('ok', 'down');
/** `events`: why a service of this process answers reads only. */
const checks = exact({ messaging: state, eventStore: state }, { events: p.anyString });
const health = named('Health', exact({ status: state }, { checks }));

const open = (id: string, path: string, summary: string, answers: Answers, mediaType?: string): Route =>
  route(id, 'GET', path, { access: 'public', tag: 'service', summary, answers, ...omitUndefined({ mediaType }) });
const json = (id: string, path: string, summary: string, schema: JsonSchema = p.anyObject): Route =>
  open(id, path, summary, { 200: schema });
const text = (id: string, path: string, summary: string, mediaType: string): Route =>
  open(id, path, summary, { 200: p.anyString }, mediaType);

/** Routes outside `/v1`: probes, metrics and documents. */
export const serviceRoutes = {
  healthz: json('healthz', '/healthz', 'Check that the process is alive', health),
  readyz: open('readyz', '/readyz', 'Check that the gateway can serve requests', { 200: health, 503: health }),
  metrics: text('metrics', '/metrics', 'Get metrics in the Prometheus text format', 'text/plain'),
  openapi: json('openapi', '/openapi.json', 'Get this document'),
  eventSchemas: json('eventSchemas', '/schemas/events.json', 'Get the JSON Schema of streamed and published events'),
  asyncapi: json('asyncapi', '/asyncapi.json', 'Get the AsyncAPI document of streamed and published events'),
  docs: text('docs', '/docs', 'Show this document as a page', 'text/html'),
  docsScript: text('docsScript', '/docs/swagger-ui-bundle.js', 'Get the script of the page', 'text/javascript'),
  docsStyle: text('docsStyle', '/docs/swagger-ui.css', 'Get the style sheet of the page', 'text/css'),
};
