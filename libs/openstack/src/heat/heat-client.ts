import type { DriverContext } from '@stave/driver-sdk';
import type { CloudSession, ServiceRequest } from '../cloud/cloud-session.js';
import type { HttpAnswer } from '../http/http-request.js';
import { failureOfAnswer } from './heat-failure.js';
import { stackOf, tagText, type Stack, type StackContent, type StackDetails, type StackReference } from './stack.js';

const pageSize = 200;
const defaultTimeoutMinutes = 60;

/** On whose behalf a request is sent. Changes call `checkpoint` before each. */
export type Caller = Pick<DriverContext, 'signal' | 'secrets' | 'checkpoint'>;

/**
 * Heat's stacks. Every method throws DriverErrors: `notFound`, `conflict` (`stack-exists`), `capacity` (`quota-exceeded`), `permanent` for what
 * Heat refuses (`flavor-unknown`, `image-unknown`), `transient` for everything that a repeated call may survive.
 */
export class HeatClient {
  constructor(private readonly session: CloudSession) {}

  /** Creates a stack and returns its reference at once; Heat creates what it consists of afterwards. */
  async create(caller: Caller, name: string, content: StackContent): Promise<StackReference> {
    const body = { stack_name: name, ...bodyOf(content) };
    const answer = await this.sendChange(caller, `create stack ${name}`, { method: 'POST', path: '/stacks', body });
    const { stack } = answer.body as { stack: { id: string } };
    return { name, id: stack.id };
  }

  /** Changes a stack to this content, also one whose creation failed or is in progress; Heat does so afterwards. */
  async update(caller: Caller, stack: StackReference, content: StackContent): Promise<void> {
    const request = { method: 'PUT', path: pathOf(stack), body: bodyOf(content) } as const;
    await this.sendChange(caller, `update stack ${stack.name}`, request);
  }

  /** Changes the values of some parameters; everything else of the stack stays as it is. Heat does so afterwards. */
  async change(caller: Caller, stack: StackReference, parameters: StackContent['parameters'] = {}): Promise<void> {
    const request = { method: 'PATCH', path: pathOf(stack), body: { parameters } } as const;
    await this.sendChange(caller, `change stack ${stack.name}`, request);
  }

  /** Takes up a stack again whose engine died: it stays IN_PROGRESS for ever otherwise. What it consists of is not changed. */
  async resume(caller: Caller, stack: StackReference): Promise<void> {
    await this.sendChange(caller, `resume stack ${stack.name}`, { method: 'PATCH', path: pathOf(stack), body: {} });
  }

  /** Has Heat compare the stack with what exists; what is missing is replaced by the next update only after a check. */
  async check(caller: Caller, stack: StackReference): Promise<void> {
    const request = { method: 'POST', path: `${pathOf(stack)}/actions`, body: { check: null } } as const;
    await this.sendChange(caller, `check stack ${stack.name}`, request);
  }

  /** Deletes a stack, in any state; succeeds when it does not exist. It is gone when `get` returns undefined. */
  async delete(caller: Caller, stack: StackReference): Promise<void> {
    caller.checkpoint();
    const answer = await this.send(caller, { method: 'DELETE', path: pathOf(stack) });
    if (answer.status !== 404) requireSuccess(`delete stack ${stack.name}`, answer);
  }

  /** Returns a stack with its outputs, which Heat asks other services for; undefined when it does not exist. */
  async get(caller: Omit<Caller, 'checkpoint'>, stack: StackReference): Promise<StackDetails | undefined> {
    const answer = await this.send(caller, { method: 'GET', path: pathOf(stack) });
    if (answer.status === 404) return undefined;
    requireSuccess(`read stack ${stack.name}`, answer);
    const { stack: body } = answer.body as { stack: Readonly<Record<string, unknown>> };
    return stackOf(body);
  }

  /** Returns all stacks that have all of these tags; at least one, because Heat lists every stack of the project without. */
  async list(caller: Omit<Caller, 'checkpoint'>, tags: Readonly<Record<string, string>>): Promise<readonly Stack[]> {
    const text = tagText(tags);
    if (text === '') throw new RangeError('a list of stacks needs a tag');
    const found: Stack[] = [];
    for (let marker: string | undefined; ;) {
      const query = new URLSearchParams({
        tags: text,
        limit: String(pageSize),
        ...(marker !== undefined && { marker }),
      });
      const answer = await this.send(caller, { method: 'GET', path: `/stacks?${query.toString()}` });
      requireSuccess('list stacks', answer);
      const { stacks } = answer.body as { stacks: readonly Readonly<Record<string, unknown>>[] };
      found.push(...stacks.map(stackOf).filter(stack => stack !== undefined));
      marker = stacks.length < pageSize ? undefined : String(stacks.at(-1)?.['id']);
      if (marker === undefined) return found;
    }
  }

  /** Returns the id of the newest event of a stack: a stack that is in progress and has no new one for long is stalled. */
  async newestEvent(caller: Omit<Caller, 'checkpoint'>, stack: StackReference): Promise<string | undefined> {
    const path = `${pathOf(stack)}/events?limit=1&sort_dir=desc&nested_depth=2`;
    const answer = await this.send(caller, { method: 'GET', path });
    if (answer.status === 404) return undefined;
    requireSuccess(`read events of stack ${stack.name}`, answer);
    return (answer.body as { events: readonly { id: string }[] }).events[0]?.id;
  }

  private async sendChange(caller: Caller, what: string, request: HeatRequest): Promise<HttpAnswer> {
    caller.checkpoint();
    const answer = await this.send(caller, request);
    requireSuccess(what, answer);
    return answer;
  }

  private send({ signal, secrets }: Omit<Caller, 'checkpoint'>, request: HeatRequest): Promise<HttpAnswer> {
    return this.session.send({ service: 'orchestration', signal, secrets, ...request });
  }
}

type HeatRequest = Pick<ServiceRequest, 'method' | 'path' | 'body'>;

const pathOf = ({ name, id }: StackReference): string =>
  `/stacks/${encodeURIComponent(name)}/${encodeURIComponent(id)}`;

function requireSuccess(what: string, answer: HttpAnswer): void {
  if (answer.status >= 300) throw failureOfAnswer(what, answer);
}

const bodyOf = ({ template, parameters = {}, files = {}, tags = {}, timeoutMinutes }: StackContent) => ({
  template,
  parameters,
  files,
  tags: tagText(tags),
  timeout_mins: timeoutMinutes ?? defaultTimeoutMinutes,
});
