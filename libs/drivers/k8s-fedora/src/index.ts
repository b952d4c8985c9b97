import { heatDriver } from '@stave/heat';
import { k8sFedora } from './template-definition.js';

/** The module of the driver. The images have the programs of Kubernetes, unless HEAT_SOFTWARE_FILE names another place. */
export default heatDriver(k8sFedora, { kind: 'installed' });
