import { apiPages } from '../../.vitepress/api-pages.mts';

export default { paths: apiPages };
