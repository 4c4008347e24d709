import { readFileSync } from 'node:fs';

interface Datasource {
  readonly type: string;
  readonly uid: string;
}

interface Target {
  readonly refId: string;
  readonly datasource: Datasource;
  readonly expr: string;
  /** With labels in braces: `{{family}} stored`. */
  readonly legendFormat: string;
}

/** A panel of a Grafana dashboard; a row has no targets. */
export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly datasource?: Datasource;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets?: readonly Target[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

export function readDashboard(): Dashboard {
  const file = new URL('../../../deploy/grafana/dashboards/operations.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Dashboard;
}
