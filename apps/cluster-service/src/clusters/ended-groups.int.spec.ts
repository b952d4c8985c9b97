import { describeAbandonedGroups } from '@stave/service-kit/testing';
import { ClusterProjection } from './cluster.projection.js';

describeAbandonedGroups(store => new ClusterProjection(store));
