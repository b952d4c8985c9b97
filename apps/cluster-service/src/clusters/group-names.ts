import { randomSource, generatedName, type MergedGroup } from '@stave/domain';

type Named = Pick<MergedGroup, 'name' | 'namedAfter'>;

/** Returns the names of a cluster's groups, in order: the given one, one generated from the source and the id, or `group-<n>` with the first free number. */
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
