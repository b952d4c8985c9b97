import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react';
import { useLocation } from 'wouter';
import { Status, toneOf } from '../parts/status.js';
import type { TopologyNode } from './read-topology.js';

const CELL = 17;
const GAP = 3;
const STEP = CELL + GAP;

/** A cell for each node: its colour is its status, and it is filled as far as its CPUs are allocated. */
function draw(canvas: HTMLCanvasElement, nodes: readonly TopologyNode[], columns: number, chosen: number): void {
  const scale = devicePixelRatio;
  const rows = Math.ceil(nodes.length / columns);
  canvas.width = columns * STEP * scale;
  canvas.height = rows * STEP * scale;
  canvas.style.height = `${rows * STEP}px`;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(name);
  for (const [index, { status, schedulable, cpus }] of nodes.entries()) {
    const [x, y] = [(index % columns) * STEP, Math.floor(index / columns) * STEP];
    const tone = status === 'ACTIVE' && !schedulable ? 'warn' : toneOf(status);
    context.fillStyle = colour(`--${tone}-fill`);
    context.globalAlpha = tone === 'good' ? 0.28 : 0.6;
    context.beginPath();
    context.roundRect(x, y, CELL, CELL, 4);
    context.fill();
    context.globalAlpha = 1;
    const height = Math.round(CELL * cpus);
    context.beginPath();
    context.roundRect(x, y + CELL - height, CELL, height, height > 8 ? 4 : 1);
    context.fill();
    if (index !== chosen) continue;
    context.strokeStyle = colour('--focus');
    context.lineWidth = 2;
    context.strokeRect(x + 1, y + 1, CELL - 2, CELL - 2);
  }
}

/** The number of columns that fit into an element. */
function useColumns(box: React.RefObject<HTMLElement | null>): number {
  const [columns, setColumns] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const watcher = new ResizeObserver(() => setColumns(Math.max(1, Math.floor(element.clientWidth / STEP))));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [box]);
  return columns;
}

const describe = ({ name, status, cpus, memory, containers }: TopologyNode): string =>
  `${name}, ${status.toLowerCase()}, ${Math.round(cpus * 100)} % of its CPUs and ${Math.round(memory * 100)} % of its memory allocated, ${containers.length} containers`;

interface NodeGridProps {
  readonly zone: string;
  readonly nodes: readonly TopologyNode[];
}

/** Nodes of a zone as cells. Arrow keys and the pointer choose one, Enter and a click lead to its page. */
export function NodeGrid({ zone, nodes }: NodeGridProps) {
  const [, navigate] = useLocation();
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const columns = useColumns(box);
  const scheme = useComputedColorScheme('light');
  const [chosen, setChosen] = useState(-1);
  const node = nodes[chosen];
  useEffect(() => {
    if (canvas.current && columns > 0) draw(canvas.current, nodes, columns, chosen);
  }, [nodes, columns, chosen, scheme]);
  const open = (): void => {
    if (node) navigate(`/nodes/${node.id}`);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
    if (event.key === 'Enter') open();
    if (step === undefined) return;
    setChosen(Math.min(nodes.length - 1, Math.max(0, chosen + step)));
    event.preventDefault();
  };
  const onMouseMove = ({ nativeEvent: { offsetX, offsetY } }: MouseEvent): void => {
    const column = Math.floor(offsetX / STEP);
    setChosen(column < columns ? Math.floor(offsetY / STEP) * columns + column : -1);
  };
  return (
    <div ref={box} className="node-grid">
      <div
        role="application"
        tabIndex={0}
        aria-label={`${nodes.length} nodes in ${zone}. Arrow keys choose one, Enter opens it.`}
        {...{ onKeyDown }}
      >
        <canvas ref={canvas} aria-hidden="true" onMouseMove={onMouseMove} onClick={open} />
      </div>
      <p className="node-grid-choice dim" aria-live="polite">
        {node ? (
          <>
            <Status status={node.status} /> {describe(node)}
          </>
        ) : (
          'Point at a node, or move with the arrow keys.'
        )}
      </p>
    </div>
  );
}
