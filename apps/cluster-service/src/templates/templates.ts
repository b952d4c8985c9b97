import type { ServiceRuntime } from '@stave/service-kit';
import { TemplateLookup } from './find-templates.js';
import { GroupsInside } from './groups-inside.js';
import type { SourceFinder } from './source-finder.js';
import type { TemplateModels } from './template-models.js';
import { TemplateNames } from './template-names.js';

/** What commands on templates work with. */
export class Templates {
  readonly find: TemplateLookup;
  readonly names: TemplateNames;
  readonly inside: GroupsInside;

  constructor(
    readonly runtime: ServiceRuntime,
    readonly models: TemplateModels,
    readonly sources: SourceFinder,
  ) {
    this.find = new TemplateLookup(runtime, models);
    this.names = new TemplateNames(runtime.options.eventStore, models);
    this.inside = new GroupsInside(models, this.names, () => runtime.feed.caughtUp());
  }
}
