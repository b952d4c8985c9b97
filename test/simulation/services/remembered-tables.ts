import { nextTable, type RingMember, type SlotTable } from '@stave/domain';

const first = {};
const steps = new WeakMap<object, Map<string, SlotTable>>();
const tables = new Map<string, SlotTable>();

/** {@link nextTable}, computed once for what schedules have in common: few members, always the same ones. */
export function rememberedTable(previous: SlotTable | undefined, members: readonly RingMember[]): SlotTable {
  const known = steps.get(previous ?? first) ?? new Map<string, SlotTable>();
  steps.set(previous ?? first, known);
  const name = members.map(({ id, weight }) => `${id}*${weight}`).join();
  const table = known.get(name) ?? theOne(nextTable(previous, members));
  known.set(name, table);
  return table;
}

/** Of equal tables always the same object, so that what follows from it is found again. */
function theOne(table: SlotTable): SlotTable {
  const content = table.owners.join();
  const same = tables.get(content) ?? table;
  tables.set(content, same);
  return same;
}
