import { h, type FunctionalComponent } from 'vue';
import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import './outside-link.css';

interface OutsideLinkProps {
  readonly text: string;
  readonly href: string;
}

/** A link to a part of the product beside the site: links of the default theme are all below its base. */
const OutsideLink: FunctionalComponent<OutsideLinkProps> = ({ text, href }) =>
  h('a', { class: 'outside-link', href, target: '_self' }, text);
OutsideLink.props = ['text', 'href'];

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('OutsideLink', OutsideLink),
} satisfies Theme;
