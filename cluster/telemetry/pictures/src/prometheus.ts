// Asks Prometheus what a panel shows, as Grafana's data source does, and returns it as Grafana's data frames.
import { type DataFrame, type Labels, type TimeRange, FieldType, createDataFrame, rangeUtil } from '@grafana/data';
import { ask } from './api';
import type { Target } from './dashboard';

export interface Source {
  url: string;
  /** How often Prometheus scrapes, in milliseconds: the setting "Scrape interval" of the data source. */
  scrapeInterval: number;
}

/** Seconds since 1970, and a number. */
type Point = [number, string];

interface Series {
  metric: Labels;
  value?: Point;
  values?: Point[];
}

/** Returns the time between two points of a line: at most one point for each pixel, and no shorter than the interval of the scrapes. */
export function stepOf(range: TimeRange, width: number, scrapeInterval: number): number {
  return rangeUtil.calculateInterval(range, width, `${scrapeInterval}ms`).intervalMs;
}

/** Returns what $__rate_interval stands for, in milliseconds. */
export function rateInterval(step: number, scrapeInterval: number): number {
  return Math.max(step + scrapeInterval, 4 * scrapeInterval);
}

/** Returns the name of a line. */
export function legendOf(format: string, labels: Labels): string {
  return format.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, label: string) => labels[label] ?? '');
}

/** Asks for what a target says, for a panel of a width in pixels. */
export async function query(source: Source, target: Target, range: TimeRange, width: number): Promise<DataFrame[]> {
  const step = stepOf(range, width, source.scrapeInterval);
  const expr = target.expr.replaceAll('$__rate_interval', `${rateInterval(step, source.scrapeInterval)}ms`);
  if (/\$\w/.test(expr)) {
    throw new Error(`there is no such variable: ${expr}`);
  }
  if (target.instant) {
    const answer: { result: Series[] } = await ask(source.url, 'query', { query: expr, time: seconds(range.to.valueOf()) });
    return answer.result.map((series) => frame(target, series.metric, series.value ? [series.value] : []));
  }
  const [start, end] = [range.from, range.to].map((time) => Math.floor(time.valueOf() / step) * step);
  const answer: { result: Series[] } = await ask(source.url, 'query_range', { query: expr, start: seconds(start), end: seconds(end), step: seconds(step) });
  return answer.result.map((series) => frame(target, series.metric, complete(series.values ?? [], start, end, step)));
}

/** Returns a point for each step, those that are missing or no number with nothing: there the line is broken. */
export function complete(points: Point[], start: number, end: number, step: number): Array<[number, string | null]> {
  const values = new Map(points.map(([time, value]) => [Math.round(time * 1000), value]));
  const all: Array<[number, string | null]> = [];
  for (let time = start; time <= end; time += step) {
    const value = values.get(time);
    all.push([time / 1000, Number.isFinite(Number(value)) ? value! : null]);
  }
  return all;
}

const seconds = (milliseconds: number) => String(milliseconds / 1000);

function frame(target: Target, labels: Labels, points: Array<[number, string | null]>): DataFrame {
  return createDataFrame({
    refId: target.refId,
    fields: [
      { name: 'Time', type: FieldType.time, values: points.map(([time]) => time * 1000) },
      {
        name: 'Value',
        type: FieldType.number,
        labels,
        values: points.map(([, value]) => (value === null ? null : Number(value))),
        config: target.legendFormat ? { displayNameFromDS: legendOf(target.legendFormat, labels) } : {},
      },
    ],
  });
}
