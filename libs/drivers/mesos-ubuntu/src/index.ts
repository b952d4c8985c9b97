import { heatDriver } from '@stave/heat';
import { mesosUbuntu } from './template-definition.js';

/** The module of the driver. The images have the programs of Mesos, unless HEAT_SOFTWARE_FILE names another place. */
export default heatDriver(() => mesosUbuntu, { kind: 'installed' });
