// The settings of fields that a dashboard leaves out, with the values that Grafana gives them.
import {
  type DataFrame,
  type FieldConfigPropertyItem,
  type FieldConfigSource,
  type GrafanaTheme2,
  FieldColorModeId,
  FieldConfigOptionsRegistry,
  ThresholdsMode,
  applyFieldOverrides,
} from '@grafana/data';
import {
  type GraphFieldConfig,
  AxisPlacement,
  GraphDrawStyle,
  GraphGradientMode,
  LineInterpolation,
  ScaleDistribution,
  StackingMode,
  VisibilityMode,
} from '@grafana/schema';

const thresholds = {
  mode: ThresholdsMode.Absolute,
  steps: [
    { value: -Infinity, color: 'green' },
    { value: 80, color: 'red' },
  ],
};

const line: GraphFieldConfig = {
  drawStyle: GraphDrawStyle.Line,
  lineInterpolation: LineInterpolation.Linear,
  lineWidth: 1,
  fillOpacity: 0,
  gradientMode: GraphGradientMode.None,
  showPoints: VisibilityMode.Auto,
  pointSize: 5,
  spanNulls: false,
  axisPlacement: AxisPlacement.Auto,
  axisBorderShow: false,
  scaleDistribution: { type: ScaleDistribution.Linear },
  stacking: { mode: StackingMode.None, group: 'A' },
};

const defaults = {
  stat: { thresholds, color: { mode: FieldColorModeId.Thresholds } },
  timeseries: { thresholds, color: { mode: FieldColorModeId.PaletteClassic } },
};

const names = ['unit', 'min', 'max', 'decimals', 'displayName', 'noValue', 'mappings', 'thresholds', 'color', 'custom'];

const registry = new FieldConfigOptionsRegistry(() =>
  names.map(
    (name): FieldConfigPropertyItem => ({
      id: name,
      name,
      path: name,
      process: (value) => value,
      shouldApply: () => true,
      // Nobody edits them here.
      editor: () => null,
      override: () => null,
    })
  )
);

/** Returns the settings of a panel's fields, complete. */
export function complete(type: keyof typeof defaults, given: FieldConfigSource): FieldConfigSource {
  return {
    overrides: given.overrides,
    defaults: { ...defaults[type], ...given.defaults, custom: { ...line, ...given.defaults.custom } },
  };
}

/** Gives frames the settings of a panel's fields: from then on each field knows its color, and how its values are written. */
export function apply(frames: DataFrame[], fieldConfig: FieldConfigSource, theme: GrafanaTheme2, timeZone: string): DataFrame[] {
  return applyFieldOverrides({
    data: frames,
    fieldConfig,
    fieldConfigRegistry: registry,
    replaceVariables: (text) => text,
    theme,
    timeZone,
  });
}
