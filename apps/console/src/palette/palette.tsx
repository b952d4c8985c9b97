import { Modal } from '@mantine/core';
import { useEffect, useState, type KeyboardEvent } from 'react';
import { useLocation } from 'wouter';
import { pagesLike, useNamed, type Found } from './search.js';

const TYPING_MS = 150;

/** The text when the typing rests. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}

function Results({
  found,
  chosen,
  open,
}: {
  readonly found: readonly Found[];
  readonly chosen: number;
  readonly open: (one: Found) => void;
}) {
  return (
    <ul className="plain palette-results" role="listbox" id="palette-results" aria-label="Found">
      {found.map((one, index) => (
        <li
          key={`${one.path}${one.title}`}
          id={`palette-${index}`}
          role="option"
          aria-selected={index === chosen}
          onClick={() => open(one)}
          ref={element => {
            if (index === chosen) element?.scrollIntoView({ block: 'nearest' });
          }}
        >
          <span>{one.title}</span>
          <span className="dim">{one.what}</span>
        </li>
      ))}
    </ul>
  );
}

function Search({ close }: { readonly close: () => void }) {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const { data: named = [], isFetching } = useNamed(useRested(text));
  const found = [...(text.trim().length < 2 ? [] : named), ...pagesLike(text.trim())];
  const open = (one: Found): void => {
    close();
    navigate(one.path);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      setChosen(Math.min(found.length - 1, Math.max(0, chosen + step)));
      event.preventDefault();
    }
    const one = found[chosen];
    if (event.key === 'Enter' && one) open(one);
  };
  return (
    <>
      <input
        className="palette-field"
        data-autofocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-results"
        aria-activedescendant={found.length > 0 ? `palette-${chosen}` : undefined}
        aria-label="Search pages and names"
        placeholder="A page, or the beginning of a name"
        value={text}
        onKeyDown={onKeyDown}
        onChange={event => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
      />
      <Results {...{ found, chosen, open }} />
      <p className="dim palette-foot" role="status">
        {isFetching ? 'searching' : `${found.length} found`}
      </p>
    </>
  );
}

/** Leads to pages, changes and resources by a few letters. */
export const Palette = ({ isOpen, close }: { readonly isOpen: boolean; readonly close: () => void }) => (
  <Modal
    opened={isOpen}
    onClose={close}
    withCloseButton={false}
    title="Search"
    yOffset="12vh"
    classNames={{ header: 'only-read', body: 'palette' }}
  >
    <Search close={close} />
  </Modal>
);
