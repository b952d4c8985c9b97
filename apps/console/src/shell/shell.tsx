import { AppShell, Burger, Modal, Switch, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useCallback, useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { session, useSession } from '../session/session.js';
import { areKeysOff, destinations, setKeysOff, useKeys } from './keys.js';
import { Mark } from './mark.js';

const liveTexts = {
  off: 'not live',
  connecting: 'connecting',
  live: 'live',
  reconnecting: 'reconnecting',
} as const;

function Live() {
  const { live } = useSession();
  return (
    <span className={`live live-${live}`} role="status">
      {liveTexts[live]}
    </span>
  );
}

function Keys({ isOpen, close }: { readonly isOpen: boolean; readonly close: () => void }) {
  const [isOff, setOff] = useState(areKeysOff);
  const lines: readonly (readonly [string, string])[] = [
    ...Object.entries(destinations).map(([key, [, title]]) => [`g ${key}`, title] as const),
    ['/', 'Filter the list'],
    ['j k', 'Next and previous row'],
    ['Enter', 'Open the row'],
    ['?', 'This list'],
  ];
  return (
    <Modal opened={isOpen} onClose={close} title="Keys" closeButtonProps={{ 'aria-label': 'Close' }}>
      <dl className="keys">
        {lines.map(([keys, title]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map(key => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
      </dl>
      <Switch
        label="Use keys of one letter"
        checked={!isOff}
        onChange={() => {
          setKeysOff(!isOff);
          setOff(!isOff);
        }}
      />
    </Modal>
  );
}

function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const next = scheme === 'dark' ? 'light' : 'dark';
  return (
    <button type="button" className="quiet" onClick={() => setColorScheme(next)}>
      {next === 'dark' ? 'Dark' : 'Light'}
    </button>
  );
}

function Header({ isOpen, toggle }: { readonly isOpen: boolean; readonly toggle: () => void }) {
  return (
    <AppShell.Header className="header">
      <Burger
        opened={isOpen}
        onClick={toggle}
        hiddenFrom="sm"
        size="sm"
        aria-label={isOpen ? 'Close the menu' : 'Open the menu'}
      />
      <Link href="/" className="brand">
        <Mark />
        Stave
      </Link>
      <span className="space" />
      <Live />
      <SchemeButton />
      <button type="button" className="quiet" onClick={() => session.signOut()}>
        Sign out
      </button>
    </AppShell.Header>
  );
}

function Navbar({ close, showKeys }: { readonly close: () => void; readonly showKeys: () => void }) {
  const [location] = useLocation();
  const isHere = (path: string): boolean =>
    path === '/'
      ? location === '/'
      : location.startsWith(path) || (path === '/operations' && location.startsWith('/operation'));
  return (
    <AppShell.Navbar className="navbar">
      <nav aria-label="Pages">
        {Object.entries(destinations).map(([key, [path, title]]) => (
          <Link key={path} href={path} onClick={close} aria-current={isHere(path) ? 'page' : undefined}>
            {title}
            <kbd aria-hidden="true">g {key}</kbd>
          </Link>
        ))}
      </nav>
      <div className="navbar-end">
        <button type="button" className="quiet" onClick={showKeys}>
          Keys <kbd aria-hidden="true">?</kbd>
        </button>
        <a href="/docs" className="quiet">
          API
        </a>
      </div>
    </AppShell.Navbar>
  );
}

/** What every page has around it: where one can go, whether it is live, and the keys. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const [isHelp, setHelp] = useState(false);
  useKeys(useCallback(() => setHelp(true), []));
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 196, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={0}
    >
      <a href="#content" className="skip">
        Skip to the content
      </a>
      <Header isOpen={isOpen} toggle={() => setOpen(!isOpen)} />
      <Navbar close={() => setOpen(false)} showKeys={() => setHelp(true)} />
      <AppShell.Main id="content" tabIndex={-1} className="content">
        {children}
      </AppShell.Main>
      <Keys isOpen={isHelp} close={() => setHelp(false)} />
    </AppShell>
  );
}
