import { exact, named, oneOf, primitives as p } from '@stave/contracts/schemas';
import { route, type Route, type RouteDeclaration } from './route.js';

const state = oneOf('ok', 'down');
const health = named('Health', exact({ status: state }, { checks: exact({ messaging: state, eventStore: state }) }));

const publicRoute = (id: string, path: string, declaration: RouteDeclaration): Route =>
  route(id, 'GET', path, { access: 'public', tag: 'service', ...declaration });

/** Routes outside `/v1`: probes, metrics and documents. */
export const serviceRoutes = {
  healthz: publicRoute('healthz', '/healthz', { summary: 'Check that the process is alive', answers: { 200: health } }),
  readyz: publicRoute('readyz', '/readyz', {
    summary: 'Check that the gateway can serve requests',
    answers: { 200: health, 503: health },
  }),
  metrics: publicRoute('metrics', '/metrics', {
    summary: 'Get metrics in the Prometheus text format',
    answers: { 200: p.anyString },
    mediaType: 'text/plain',
  }),
  openapi: publicRoute('openapi', '/openapi.json', { summary: 'Get this document', answers: { 200: p.anyObject } }),
  eventSchemas: publicRoute('eventSchemas', '/schemas/events.json', {
    summary: 'Get the JSON Schema of streamed and published events',
    answers: { 200: p.anyObject },
  }),
  docs: publicRoute('docs', '/docs', {
    summary: 'Show this document as a page',
    answers: { 200: p.anyString },
    mediaType: 'text/html',
  }),
  docsScript: publicRoute('docsScript', '/docs/swagger-ui-bundle.js', {
    summary: 'Get the script of the page',
    answers: { 200: p.anyString },
    mediaType: 'text/javascript',
  }),
  docsStyle: publicRoute('docsStyle', '/docs/swagger-ui.css', {
    summary: 'Get the style sheet of the page',
    answers: { 200: p.anyString },
    mediaType: 'text/css',
  }),
};
