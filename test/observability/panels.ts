/** A series of a panel. */
export interface Query {
  readonly expr: string;
  /** Its name, with labels in double braces. */
  readonly legend: string;
}

/** A panel as a dashboard describes it. */
export interface Panel {
  readonly title: string;
  /** What it shows, for its tooltip. */
  readonly about: string;
  /** A unit of Grafana: `s`, `reqps`, `short`, `percentunit`, `bytes`. */
  readonly unit: string;
  readonly queries: readonly Query[];
}

export interface Dashboard {
  /** Fixed: a new release replaces the dashboard, and links to it stay valid. */
  readonly uid: string;
  readonly title: string;
  readonly rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[];
}

const WIDTH = 24;
const PER_ROW = 3;
const HEIGHT = 8;
const datasource = { type: 'prometheus', uid: '${datasource}' };

/** Returns the document that Grafana imports. */
export function grafanaDocument({ uid, title, rows }: Dashboard): object {
  const panels: object[] = [];
  let y = 0;
  for (const row of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: row.title,
      collapsed: false,
      gridPos: place(0, y, WIDTH, 1),
    });
    y += 1;
    row.panels.forEach((panel, i) => {
      const w = WIDTH / PER_ROW;
      const gridPos = place((i % PER_ROW) * w, y + Math.floor(i / PER_ROW) * HEIGHT, w, HEIGHT);
      panels.push({ id: panels.length + 1, gridPos, ...graph(panel) });
    });
    y += Math.ceil(row.panels.length / PER_ROW) * HEIGHT;
  }
  return {
    uid,
    title,
    tags: ['stave'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }] },
    panels,
  };
}

const place = (x: number, y: number, w: number, h: number) => ({ x, y, w, h });

function graph({ title, about, unit, queries }: Panel): object {
  return {
    type: 'timeseries',
    title,
    description: about,
    datasource,
    fieldConfig: { defaults: { unit, min: 0, custom: { showPoints: 'never', fillOpacity: 8 } }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: queries.map(({ expr, legend }, i) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + i),
      datasource,
      expr,
      legendFormat: legend,
    })),
  };
}
