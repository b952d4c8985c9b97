import { randomSource, generatedName, type MergedGroup } from '@stave/domain';

type Named = Pick<MergedGroup, 'name' | 'namedAfter'>;

/** The names of a cluster's groups, in order: their own, after their source and id, or `group-<n>` with the first number that is free from their place on. */
export function groupNames(groups: readonly Named[], ids: readonly string[]): readonly string[] {
  const taken = new Set(groups.flatMap(({ name }) => name?.toLowerCase() ?? []));
  const free = (place: number): string => {
    let number = place + 1;
    while (taken.has(`group-${number}`)) number += 1;
    return `group-${number}`;
  };
  return groups.map(({ name, namedAfter }, i) => {
    if (name !== undefined) return name;
    const made = namedAfter === undefined ? free(i) : generatedName(namedAfter, randomSource(ids[i] ?? '0'));
    taken.add(made.toLowerCase());
    return made;
  });
}
