import { heatDriver } from '@stave/heat';
import { swarmFedora } from './template-definition.js';

/** The module of the driver. */
export default heatDriver(() => swarmFedora, { kind: 'packages' });
