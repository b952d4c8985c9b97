import { Empty } from '../parts/states.js';
import { jsonOf } from '../parts/json.js';
import { resourceTypes } from '../api/resource-types.js';
import { useUrl } from '../parts/use-url.js';
import { ChangePage, type Body } from './change-page.js';
import { shell } from '../parts/shell-command.js';

/** The page and the noun of what is below a path of the API. */
function typeOf(path: string) {
  const [, found] = Object.entries(resourceTypes).find(([, { list }]) => path.startsWith(list)) ?? [];
  return found;
}

/** Changes a resource as JSON. The address has its path and what the form begins with. */
export function AnyChangePage() {
  const [get] = useUrl();
  const path = get('path') ?? '';
  const type = typeOf(path);
  const { value, error } = jsonOf(get('body') ?? '{}');
  if (!type || error !== undefined) return <Empty title="This address names no change" />;
  const id = path.slice(type.list.length + 1);
  const page = `${type.page ?? ''}/${id}`;
  return (
    <ChangePage
      title={get('title') ?? `Change a ${type.title}`}
      within={[[page, type.title]]}
      method="patch"
      path={path}
      body={value as Body}
      command={shell`stave ${type.noun} update ${id} -f - --plan`}
      made={() => page}
    />
  );
}
