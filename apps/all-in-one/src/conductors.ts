import { AttemptLogFile, createConductor, type Conductor } from '@stave/conductor';
import type { Logger, Messaging } from '@stave/platform';
import type { AllInOneSettings } from './all-in-one.config.js';

export interface ConductorsOptions {
  readonly settings: AllInOneSettings;
  readonly release: string;
  readonly drivers: readonly string[];
  readonly log: Logger;
  /** Opens a connection for one conductor. */
  readonly connect: () => Messaging;
}

/** The conductors of the process, one per conductor group at the start. */
export class Conductors {
  readonly byId = new Map<string, Conductor>();

  constructor(private readonly options: ConductorsOptions) {}

  /** Resolves when all have registered, so that the first request finds their drivers. */
  async start(): Promise<void> {
    for (const group of this.options.settings.groups)
      await this.add(group === '' ? 'conductor' : `conductor-${this.byId.size}`, group);
    await Promise.all([...this.byId.values()].map(conductor => conductor.registered()));
  }

  /** Starts one more conductor. Resolves when its drivers are open and it registers. */
  async add(id: string, group: string): Promise<Conductor> {
    const { settings, release, drivers, log, connect } = this.options;
    const conductor = await createConductor({
      id,
      group,
      weight: 1,
      keyMode: 'group',
      release,
      messaging: connect(),
      drivers: {
        directories: settings.driverDirectories,
        enabled: drivers,
        enabledByOperator: settings.driversEnabled,
      },
      dataDir: settings.dataDir,
      env: settings.env,
      ...(settings.secretsDir === undefined ? {} : { secretsDir: settings.secretsDir }),
      limits: { perProject: settings.projectConcurrency, massLoss: settings.massLoss },
      log,
      attempts: AttemptLogFile.open(settings.dataDir, id),
    });
    await conductor.start();
    this.byId.set(id, conductor);
    return conductor;
  }

  /** Stops all of them; each finishes or releases its tasks. */
  async stop(): Promise<void> {
    await Promise.all([...this.byId.values()].map(conductor => conductor.stop()));
  }
}
