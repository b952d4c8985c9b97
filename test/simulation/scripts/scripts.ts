import { LateRemovals, RingBehind } from './claim-scripts.js';
import { LostDocuments } from './document-scripts.js';
import { LateRegistrations, UnheardByLeader, UnheardSessions } from './session-scripts.js';
import { DataOnLeavingNodes } from './volume-scripts.js';

export const SCRIPTS = {
  'late registrations': LateRegistrations,
  'unheard sessions': UnheardSessions,
  'unheard by the leader': UnheardByLeader,
  'ring behind': RingBehind,
  'late removals': LateRemovals,
  'lost documents': LostDocuments,
  'data on leaving nodes': DataOnLeavingNodes,
} as const;

export type ScriptName = keyof typeof SCRIPTS;
