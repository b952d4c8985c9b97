import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ServiceRequest } from '@stave/contracts';
import {
  cleanByRequest,
  createMachine,
  deleteMachine,
  drainMachine,
  isInUse,
  resumeMachine,
  updateMachine,
  type MachineChanges,
  type MachineDeclaration,
  type MachineState,
  type OperationStart,
} from '@stave/domain';
import {
  RingFollower,
  unknownAction,
  type CommandReply,
  type RequestIds,
  type ResourceCommands,
} from '@stave/service-kit';
import { requireMachineDriver } from './machine-drivers.js';
import { MachineNames } from './machine-names.js';
import { machineResource } from './machine.resource.js';

const on = (verb: string): string => commandSubject('nodegroup-service', 'machine', verb);

interface Ref {
  readonly id: string;
}

interface MachineInput extends Partial<Omit<MachineDeclaration, 'id' | 'name' | 'engine'>> {
  readonly name: string;
  readonly engine: MachineDeclaration['engine'];
}

/** Commands on machines. The gateway lets operators alone send them. */
@Controller()
export class MachineController {
  constructor(
    @Inject(machineResource.commands) private readonly commands: ResourceCommands<MachineState>,
    private readonly names: MachineNames,
    private readonly ring: RingFollower,
  ) {}

  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<MachineInput>): Promise<CommandReply> {
    return this.commands.create(meta, {
      body,
      starts: true,
      resolve: ids => this.resolve(body, ids),
      scope: () => ({ projectId: '' }),
      before: (declared, context) => this.names.reserve(declared, context),
      decide: createMachine,
    });
  }

  @MessagePattern(on('patch'))
  patch({
    meta,
    body: { id, patch },
  }: ServiceRequest<Ref & { readonly patch: MachineChanges }>): Promise<CommandReply> {
    return this.commands.change(meta, {
      find: () => this.names.find(meta, id),
      body: patch,
      check: state => {
        // of a machine in use the group cannot change, whoever serves it
        if (patch.conductorGroup === undefined || isInUse(state)) return;
        requireMachineDriver(this.ring.view, patch.conductorGroup ?? '', state.declared.engine.url);
      },
      decide: state => updateMachine(state, patch, meta.ifMatch),
    });
  }

  @MessagePattern(on('delete'))
  remove({ meta, body: { id } }: ServiceRequest<Ref>): Promise<CommandReply> {
    return this.commands.change(meta, {
      find: () => this.names.find(meta, id),
      body: { delete: true },
      decide: state => deleteMachine(state, { ifMatch: meta.ifMatch }),
      after: async (state, context) => {
        await this.names.release(state, context);
        return -1;
      },
    });
  }

  /** Throws RefusedError `unknown-action`. */
  @MessagePattern(on('action'))
  async action({ meta, body }: ServiceRequest<Ref & { readonly action: string }>): Promise<CommandReply> {
    const { ifMatch } = meta;
    const common = { find: () => this.names.find(meta, body.id), body };
    switch (body.action) {
      case 'drain':
        return this.commands.change(meta, {
          ...common,
          starts: true,
          decide: (state, ids) => drainMachine(state, { operation: start('machine.drain', ids), ifMatch }),
        });
      case 'resume':
        return this.commands.change(meta, { ...common, decide: state => resumeMachine(state, { ifMatch }) });
      case 'clean':
        return this.commands.change(meta, {
          ...common,
          starts: true,
          decide: (state, ids) => cleanByRequest(state, { operation: start('machine.clean', ids), ifMatch }),
        });
      default:
        throw unknownAction('machines', body.action);
    }
  }

  private resolve({ name, engine, ...given }: MachineInput, ids: RequestIds): MachineDeclaration {
    const { labels = {}, zone = null, region = null, conductorGroup = '' } = given;
    const reached = requireMachineDriver(this.ring.view, conductorGroup, engine.url);
    const operation = start('machine.register', ids);
    return { id: ids.resourceId, name, engine, labels, zone, region, conductorGroup, ...reached, operation };
  }
}

const start = (kind: string, { operationId: id }: RequestIds): OperationStart => ({ id, kind, total: 1 });
