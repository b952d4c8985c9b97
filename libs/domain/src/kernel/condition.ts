/** An observation about a resource, as in Kubernetes. A resource lists the conditions that are true; one that is absent is false. */
export interface Condition<Type extends string = string, Reason extends string = string> {
  readonly type: Type;
  readonly status: 'True';
  /** A stable word for programs. */
  readonly reason: Reason;
  /** A sentence for users. */
  readonly message: string;
}

type Conditional<T extends string> = { readonly conditions: readonly Condition<T>[] };

export const conditionOf = <T extends string>({ conditions }: Conditional<T>, type: T): Condition<T> | undefined =>
  conditions.find(c => c.type === type);

export const hasCondition = <T extends string>(state: Conditional<T>, type: T): boolean =>
  conditionOf(state, type) !== undefined;

/** Returns the conditions with this one in place of any other of its type. */
export const withCondition = <C extends Condition>(conditions: readonly C[], condition: C): readonly C[] => [
  ...conditions.filter(c => c.type !== condition.type),
  condition,
];

export const withoutConditions = <C extends Condition>(
  conditions: readonly C[],
  ...types: readonly C['type'][]
): readonly C[] => conditions.filter(c => !types.includes(c.type));
