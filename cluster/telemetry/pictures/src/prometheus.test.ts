import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TimeRange, dateTime } from '@grafana/data';
import { between } from './dashboard';
import { complete, legendOf, rateInterval, stepOf } from './prometheus';

const minutes = (count: number): TimeRange => {
  const [from, to] = [dateTime(0), dateTime(count * 60_000)];
  return { from, to, raw: { from, to } };
};

test('a step has at least a pixel, and is no shorter than the scrapes are apart', () => {
  assert.equal(stepOf(minutes(15), 700, 15_000), 15_000);
  assert.equal(stepOf(minutes(15), 700, 1_000), 1_000);
  assert.equal(stepOf(minutes(24 * 60), 700, 15_000), 120_000);
});

test('a rate is over at least four scrapes', () => {
  assert.equal(rateInterval(15_000, 15_000), 60_000);
  assert.equal(rateInterval(120_000, 15_000), 135_000);
});

test('a line is named by its labels', () => {
  assert.equal(legendOf('{{kind}} {{ state }}', { kind: 'AzureMachine', state: 'ready' }), 'AzureMachine ready');
  assert.equal(legendOf('{{kind}}', {}), '');
});

test('a line is broken where there is no number', () => {
  const points: Array<[number, string]> = [
    [2, '1.5'],
    [4, 'NaN'],
    [8, '0'],
  ];
  assert.deepEqual(complete(points, 2_000, 8_000, 2_000), [
    [2, '1.5'],
    [4, null],
    [6, null],
    [8, '0'],
  ]);
});

test('a picture has the panels between two rows', () => {
  const panel = (type: 'row' | 'stat', title: string) => ({ type, title }) as never;
  const dashboard = { panels: [panel('stat', 'Up'), panel('row', 'First'), panel('stat', 'Down'), panel('row', 'Second')] };
  const titles = (first?: string, end?: string) => between(dashboard, first, end).map(({ title }) => title);
  assert.deepEqual(titles(undefined, 'First'), ['Up']);
  assert.deepEqual(titles('First', 'Second'), ['First', 'Down']);
  assert.deepEqual(titles('Second'), ['Second']);
  assert.throws(() => titles('Third'), /no row "Third"/);
});
