import { resourceTypes } from '../api/resource-types.js';
import { capitalised } from '../parts/words.js';
import { ChangeButton } from './change-button.js';
import { shell } from '../parts/shell-command.js';

interface VerbButtonsProps {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  /** The actions of the API, such as `drain`. */
  readonly verbs: readonly string[];
  /** What the command line calls it; default: its name. */
  readonly reference?: string;
}

/** The actions on a resource that take no parameters, each with its plan. */
export function VerbButtons({ type, id, name, verbs, reference = name }: VerbButtonsProps) {
  const { list = '', noun = type } = resourceTypes[type] ?? {};
  return verbs.map(verb => (
    <ChangeButton
      key={verb}
      label={capitalised(verb)}
      title={`${capitalised(verb)} ${name}`}
      request={{ method: 'post', path: `${list}/${id}/actions/${verb}`, body: {} }}
      command={shell`stave ${noun} ${verb} ${reference} --plan`}
    />
  ));
}
