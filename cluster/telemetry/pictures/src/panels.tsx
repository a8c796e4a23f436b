// The panels: Grafana's components around and in them, this page's only where Grafana has none in its library.
import type { CSSProperties } from 'react';
import { type DataFrame, type TimeRange, getFieldDisplayValues } from '@grafana/data';
import { BigValue, Icon, PanelChrome, TimeSeries, useTheme2 } from '@grafana/ui';
import type { Panel, Row, Stat, Timeseries } from './dashboard';
import { apply, complete } from './fields';

export interface Drawn<P extends Panel = Panel> {
  panel: P;
  frames: DataFrame[];
}

interface Place {
  width: number;
  height: number;
}

interface Time {
  range: TimeRange;
  zone: string;
}

export function PanelView({ panel, frames, time, ...place }: Drawn & Place & { time: Time }) {
  if (panel.type === 'row') {
    return <RowView row={panel} />;
  }
  return (
    <PanelChrome title={panel.title} description={panel.description} {...place}>
      {(width: number, height: number) =>
        panel.type === 'stat' ? (
          <StatView panel={panel} frames={frames} time={time} width={width} height={height} />
        ) : (
          <TimeseriesView panel={panel} frames={frames} time={time} width={width} height={height} />
        )
      }
    </PanelChrome>
  );
}

function RowView({ row }: { row: Row }) {
  const { typography, spacing } = useTheme2();
  const style: CSSProperties = { ...typography.h5, fontWeight: typography.fontWeightMedium, margin: 0, padding: spacing(0.5), display: 'flex', gap: spacing(1) };
  return (
    <h2 style={style}>
      <Icon name="angle-down" />
      {row.title}
    </h2>
  );
}

function StatView({ panel, frames, time, width, height }: Drawn<Stat> & Place & { time: Time }) {
  const theme = useTheme2();
  const fieldConfig = complete('stat', panel.fieldConfig);
  const values = getFieldDisplayValues({
    data: apply(frames, fieldConfig, theme, time.zone),
    fieldConfig,
    reduceOptions: panel.options.reduceOptions,
    replaceVariables: (text) => text,
    theme,
    timeZone: time.zone,
  });
  if (values.length !== 1) {
    throw new Error(`panel "${panel.title}" has ${values.length} values`);
  }
  // The name is not shown where there is one value.
  return (
    <BigValue
      value={{ ...values[0].display, title: undefined }}
      colorMode={panel.options.colorMode}
      graphMode={panel.options.graphMode}
      width={width}
      height={height}
      theme={theme}
    />
  );
}

function TimeseriesView({ panel, frames, time, width, height }: Drawn<Timeseries> & Place & { time: Time }) {
  const theme = useTheme2();
  if (frames.length === 0) {
    return <NoData width={width} height={height} />;
  }
  return (
    <TimeSeries
      frames={apply(frames, complete('timeseries', panel.fieldConfig), theme, time.zone)}
      timeRange={time.range}
      timeZone={time.zone}
      legend={{ ...panel.options.legend, calcs: panel.options.legend.calcs ?? [] }}
      width={width}
      height={height}
    />
  );
}

function NoData({ width, height }: Place) {
  const { colors, typography } = useTheme2();
  const style: CSSProperties = { width, height, display: 'flex', alignItems: 'center', justifyContent: 'center', color: colors.text.secondary, ...typography.h4 };
  return <div style={style}>No data</div>;
}
