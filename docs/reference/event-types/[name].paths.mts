import { eventPages } from '../../.vitepress/event-pages.mts';

export default { paths: eventPages };
