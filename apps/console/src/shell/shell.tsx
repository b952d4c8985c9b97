import { AppShell, Box, Burger, Modal, Switch, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import { Link, useLocation } from 'wouter';
import { Palette } from '../palette/palette.js';
import { session, useSession } from '../session/session.js';
import { useMoment, useWrongMoment } from '../time/moment.js';
import { TimeBar } from '../time/time-bar.js';
import { areKeysOff, destinations, setKeysOff, useKeys } from './keys.js';
import { Mark } from './mark.js';
import { NavIcon } from './nav-icon.js';

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
    ['Ctrl k', 'Search pages and names'],
    ['/', 'Filter the list'],
    ['@', 'Go back in time'],
    ['j k', 'Next and previous row of the table'],
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

interface HeaderProps {
  readonly menu: RefObject<HTMLButtonElement | null>;
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly search: () => void;
  readonly time: () => void;
}

function Header({ menu, isOpen, toggle, search, time }: HeaderProps) {
  return (
    <AppShell.Header className="header">
      <Burger
        ref={menu}
        opened={isOpen}
        onClick={toggle}
        hiddenFrom="sm"
        size="sm"
        aria-label={isOpen ? 'Close the menu' : 'Open the menu'}
      />
      <Link href="/" className="brand" aria-label="Stave">
        <Mark />
        <span className="brand-name">Stave</span>
      </Link>
      <button type="button" className="search-button" onClick={search} aria-label="Search pages and names">
        <span>Search</span>
        <kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      <span className="space" />
      <Live />
      <button type="button" className="quiet" onClick={time}>
        Time
      </button>
      <SchemeButton />
      <button type="button" className="quiet wide-only" onClick={() => session.signOut()}>
        Sign out
      </button>
    </AppShell.Header>
  );
}

interface NavbarProps {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly showKeys: () => void;
}

function Navbar({ isOpen, close, showKeys }: NavbarProps) {
  const [location] = useLocation();
  const isHere = (path: string): boolean =>
    path === '/' ? location === '/' : location.startsWith(path.replace(/^(\/\w+)\/.*/, '$1'));
  return (
    <AppShell.Navbar className={isOpen ? 'navbar' : 'navbar closed'}>
      <nav aria-label="Pages">
        {Object.entries(destinations).map(([key, [path, title]]) => (
          <Link key={path} href={path} onClick={close} aria-current={isHere(path) ? 'page' : undefined}>
            <NavIcon of={key} />
            {title}
            <kbd aria-hidden="true">g {key}</kbd>
          </Link>
        ))}
      </nav>
      <div className="navbar-end">
        <button type="button" className="quiet" onClick={showKeys}>
          Keys <kbd aria-hidden="true">?</kbd>
        </button>
        <a href="/help/" className="quiet">
          Help
        </a>
        <a href="/docs" className="quiet">
          API
        </a>
        <Box hiddenFrom="sm">
          <button type="button" className="quiet" onClick={() => session.signOut()}>
            Sign out
          </button>
        </Box>
      </div>
    </AppShell.Navbar>
  );
}

/** Escape closes the menu of a narrow screen, and gives the focus back to its button. */
function useMenu() {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    const onKeyDown = (event: globalThis.KeyboardEvent): void => {
      // a dialog that is open above the menu takes the key
      if (event.key !== 'Escape' || document.querySelector('[role=dialog]')) return;
      setOpen(false);
      button.current?.focus();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [isOpen]);
  return { isOpen, setOpen, button };
}

/** What every page has around it: where one can go, whether it is live, what moment it shows, and the keys. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { isOpen, setOpen, button } = useMenu();
  const [shown, setShown] = useState<'help' | 'palette'>();
  const [isTime, setTime] = useState(false);
  const [at] = useMoment();
  const wrong = useWrongMoment();
  const opened = useMemo(
    () => ({
      help: () => setShown('help'),
      palette: () => setShown('palette'),
      time: () => {
        flushSync(() => setTime(true));
        document.querySelector<HTMLElement>('[data-moment]')?.focus();
      },
    }),
    [],
  );
  useKeys(opened);
  const close = (): void => setShown(undefined);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={0}
    >
      <a href="#content" className="skip">
        Skip to the content
      </a>
      <Header
        menu={button}
        isOpen={isOpen}
        toggle={() => setOpen(!isOpen)}
        search={opened.palette}
        time={() => setTime(!isTime)}
      />
      <Navbar isOpen={isOpen} close={() => setOpen(false)} showKeys={opened.help} />
      <AppShell.Main id="content" tabIndex={-1} className="content">
        {isTime || at !== undefined || wrong !== undefined ? <TimeBar close={() => setTime(false)} /> : null}
        {children}
      </AppShell.Main>
      <Keys isOpen={shown === 'help'} close={close} />
      <Palette isOpen={shown === 'palette'} close={close} />
    </AppShell>
  );
}
