import { describeAbandonedGroups } from '@stave/service-kit/testing';
import { FleetProjection } from './fleet.projection.js';

describeAbandonedGroups(store => new FleetProjection(store));
