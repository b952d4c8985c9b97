import { Link } from 'wouter';

interface TabsProps {
  readonly label: string;
  readonly base: string;
  readonly tab: string;
  readonly tabs: readonly (readonly [name: string, title: string])[];
}

/** The parts of a page, each with an address of its own. */
export function Tabs({ label, base, tab, tabs }: TabsProps) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(([name, title]) => (
        <Link key={name} href={`${base}/${name}`} aria-current={name === tab ? 'page' : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  );
}
