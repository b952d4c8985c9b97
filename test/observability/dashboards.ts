import { log } from './event-log.dashboard.js';
import type { Dashboard } from './panels.js';
import { requests } from './requests.dashboard.js';
import { work } from './work.dashboard.js';

export const dashboards: readonly Dashboard[] = [requests, log, work];
