import { named, open } from '../schemas/json-schema.js';
import * as p from '../schemas/primitive.schemas.js';
import { route } from './route.js';

const health = named('Health', open({ status: p.anyString, checks: p.anyObject }, ['status']));
const document = { type: 'object' };
const text = { type: 'string' };

/** Outside `/v1`, for machines and people that run or explore the service. */
export const serviceRoutes = {
  healthz: route('healthz', 'GET', '/healthz', {
    summary: 'Alive',
    access: 'public',
    tag: 'service',
    answers: { 200: health },
  }),
  readyz: route('readyz', 'GET', '/readyz', {
    summary: 'Ready to serve',
    access: 'public',
    tag: 'service',
    answers: { 200: health, 503: health },
  }),
  metrics: route('metrics', 'GET', '/metrics', {
    summary: 'Metrics',
    access: 'public',
    tag: 'service',
    answers: { 200: text },
  }),
  openapi: route('openapi', 'GET', '/openapi.json', {
    summary: 'This document',
    access: 'public',
    tag: 'service',
    answers: { 200: document },
  }),
  eventSchemas: route('eventSchemas', 'GET', '/schemas/events.json', {
    summary: 'JSON Schema of events, streamed and published',
    access: 'public',
    tag: 'service',
    answers: { 200: document },
  }),
  docs: route('docs', 'GET', '/docs', {
    summary: 'A page to read',
    access: 'public',
    tag: 'service',
    answers: { 200: text },
  }),
};
