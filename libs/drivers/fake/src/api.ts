import { setTimeout as pause } from 'node:timers/promises';
import {
  DriverError,
  type DriverApi,
  type DriverContext,
  type FailureClass,
  type OperationRequest,
} from '@stave/driver-sdk';
import { CloudSession, type CloudAccess } from './cloud-session.js';
import type { FakeUnit } from './cloud/fake-unit.js';

const session = (access: CloudAccess, ctx: DriverContext, { cluster }: OperationRequest, operation: string) =>
  new CloudSession(access, ctx, `api.${operation}`, cluster.options);

/** The operations of the fake driver: what a user may ask of the fake cloud, and each way in which an operation can go wrong. */
export function fakeApi(access: CloudAccess): DriverApi {
  return {
    async units(ctx, request) {
      const { units } = await session(access, ctx, request, 'units').units(request.cluster.id);
      const { kind } = request.parameters;
      const wanted = units.filter(unit => kind === undefined || unit.kind === kind);
      return { items: wanted.map(shown) };
    },

    async removeUnit(ctx, request) {
      const { unit } = request.parameters;
      const own = session(access, ctx, request, 'removeUnit');
      const { units } = await own.units(request.cluster.id);
      const found = units.find(({ infrastructureId }) => infrastructureId === unit);
      if (!found) throw new DriverError('notFound', `cluster has no unit ${String(unit)}`, { code: 'unit-unknown' });
      await own.remove(found.infrastructureId);
      return shown(found);
    },

    async echo(_ctx, { parameters: { times = 1 }, body }) {
      const { text } = body as { readonly text: string };
      return { text: text.repeat(Number(times)) };
    },

    async *ticks(ctx, { parameters: { count = 10, intervalMs = 0, failAfter } }) {
      for (let tick = 0; tick < Number(count); tick++) {
        if (tick === failAfter) throw new DriverError('transient', `it fails after ${tick} ticks`);
        if (Number(intervalMs) > 0) await pause(Number(intervalMs), undefined, { signal: ctx.signal });
        if (ctx.signal.aborted) return;
        yield { tick, at: new Date().toISOString() };
      }
    },

    async delay(ctx, { parameters: { ms } }) {
      await pause(Number(ms), undefined, { signal: ctx.signal });
      return { ms };
    },

    async fault(_ctx, { parameters: { kind } }) {
      if (kind === 'large') return { fault: 'x'.repeat(10_000) };
      if (kind === 'invalid') return { fault: 7 };
      if (kind === 'defect') throw new RangeError('a defect of the driver');
      throw new DriverError(kind as FailureClass, `it fails with ${String(kind)}`, { code: `fake-${kebab(kind)}` });
    },
  };
}

function shown({ kind, resourceId, infrastructureId, generation, state }: FakeUnit) {
  return { kind, resourceId, infrastructureId, generation, state };
}

const kebab = (kind: unknown): string => String(kind).replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
