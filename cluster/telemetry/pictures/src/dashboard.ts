// What of a dashboard of Grafana is read: the shapes that examples/monitoring/dashboard.json has.
import type { FieldConfigSource, ReduceDataOptions } from '@grafana/data';
import type { BigValueColorMode, BigValueGraphMode } from '@grafana/ui';
import type { VizLegendOptions } from '@grafana/schema';

export interface Target {
  refId: string;
  expr: string;
  legendFormat?: string;
  instant?: boolean;
}

interface PanelBase {
  id: number;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
}

export interface Row extends PanelBase {
  type: 'row';
}

export interface Stat extends PanelBase {
  type: 'stat';
  fieldConfig: FieldConfigSource;
  targets: Target[];
  options: { colorMode: BigValueColorMode; graphMode: BigValueGraphMode; reduceOptions: ReduceDataOptions };
}

export interface Timeseries extends PanelBase {
  type: 'timeseries';
  fieldConfig: FieldConfigSource;
  targets: Target[];
  options: { legend: VizLegendOptions };
}

export type Panel = Row | Stat | Timeseries;

export interface Dashboard {
  panels: Panel[];
}

/** Returns the panels from one row on, up to another one. Without a first row they begin at the top, without a last they go to the end. */
export function between(dashboard: Dashboard, first?: string, end?: string): Panel[] {
  const at = (title: string) => {
    const index = dashboard.panels.findIndex((panel) => panel.type === 'row' && panel.title === title);
    if (index < 0) {
      throw new Error(`the dashboard has no row "${title}"`);
    }
    return index;
  };
  return dashboard.panels.slice(first === undefined ? 0 : at(first), end === undefined ? undefined : at(end));
}
