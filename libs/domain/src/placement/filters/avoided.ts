import type { AvoidedFor, PlacementRequest } from '../model.js';
import { type Filter } from './filter.js';

const REASONS: Readonly<Record<AvoidedFor | 'room', string>> = {
  room: 'its infrastructure had no room for this container',
  plugin: 'it lacked a plug-in that this container needs',
  moved: 'this container was moved away from it',
};

const reasonOf = ({ avoidedFor = {} }: PlacementRequest, nodeId: string): AvoidedFor | 'room' =>
  avoidedFor[nodeId] ?? 'room';

export const avoided: Filter = {
  code: 'NO_ROOM_FOUND',
  isFixed: true,
  applies: request => (request.avoid ?? []).length > 0,
  refuses: (request, { views }) => {
    const avoid = new Set(request.avoid);
    return node => avoid.has(views[node]?.id ?? '');
  },
  sentence: request => {
    const reasons = new Set((request.avoid ?? []).map(id => REASONS[reasonOf(request, id)]));
    const text = `${[...reasons].join(', or ')}; it is tried again later.`;
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  },
  remedy: (request, { id, name }) => ({
    cost: 5,
    sentence:
      reasonOf(request, id) === 'room'
        ? `make room on the infrastructure of node ${name}`
        : `wait until node ${name} is tried again`,
  }),
};
