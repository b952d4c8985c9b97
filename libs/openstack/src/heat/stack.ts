/** A stack by its name and UUID; Heat redirects requests that have only one of them. */
export interface StackReference {
  readonly name: string;
  readonly id: string;
}

/** What a list of stacks says about one of them. */
export interface Stack extends StackReference {
  readonly action: string;
  readonly progress: 'IN_PROGRESS' | 'COMPLETE' | 'FAILED';
  /** Why it has its status, as Heat puts it. */
  readonly reason: string;
  /** The tags that have a value, `key=value`. */
  readonly tags: Readonly<Record<string, string>>;
}

/** A stack with what its template puts out. */
export interface StackDetails extends Stack {
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** What a stack is made of. Values of parameters may be secrets. */
export interface StackContent {
  readonly template: Readonly<Record<string, unknown>>;
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Templates of nested stacks, by the names that the template uses. */
  readonly files?: Readonly<Record<string, string>>;
  readonly tags?: Readonly<Record<string, string>>;
  readonly timeoutMinutes?: number;
}

/** Returns tags as Heat has them: `key=value`, separated by commas. Throws a RangeError on a comma, which no tag of Heat can contain. */
export function tagText(tags: Readonly<Record<string, string>>): string {
  const all = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
  const wrong = all.find(tag => tag.includes(',') || tag.length > 80);
  if (wrong !== undefined) throw new RangeError('a tag of Heat has no comma and at most 80 characters');
  return all.join(',');
}

/** Reads the stack of an answer of Heat; undefined when it is deleted. */
export function stackOf(body: Readonly<Record<string, unknown>>): StackDetails | undefined {
  const status = String(body['stack_status']);
  const [, action = '', progress = ''] = /^(\w+?)_(IN_PROGRESS|COMPLETE|FAILED)$/.exec(status) ?? [];
  if (action === 'DELETE' && progress === 'COMPLETE') return undefined;
  return {
    name: String(body['stack_name']),
    id: String(body['id']),
    action,
    progress: progress === 'COMPLETE' || progress === 'FAILED' ? progress : 'IN_PROGRESS',
    reason: String(body['stack_status_reason'] ?? ''),
    tags: tagsOf(body['tags']),
    outputs: outputsOf(body['outputs']),
  };
}

function tagsOf(tags: unknown): Record<string, string> {
  if (!Array.isArray(tags)) return {};
  const pairs = tags.map(tag => /^([^=]+)=(.*)$/s.exec(String(tag))).filter(match => match !== null);
  return Object.fromEntries(pairs.map(([, key = '', value = '']) => [key, value]));
}

function outputsOf(outputs: unknown): Record<string, unknown> {
  if (!Array.isArray(outputs)) return {};
  return Object.fromEntries(
    outputs.map((output: Readonly<Record<string, unknown>>) => [String(output['output_key']), output['output_value']]),
  );
}
