import { expect, it } from 'vitest'
import { linePath, spreadLabels } from './line-path.ts'
import { barSizes, labelStep, scaleTop, ticksOf } from './scale.ts'
import { segmentsOf } from './segments.ts'

it.each([
  [0, 1],
  [1, 1],
  [2, 2],
  [3, 5],
  [7, 10],
  [11, 20],
  [50, 50],
  [51, 100],
  [4_321, 5_000],
])('CO-02 an axis for %d ends at %d', (most, top) => {
  expect(scaleTop(most)).toBe(top)
})

it.each([
  [1, [0, 1]],
  [2, [0, 1, 2]],
  [5, [0, 5]],
  [10, [0, 5, 10]],
  [50_000, [0, 25_000, 50_000]],
])('CO-02 an axis up to %d has lines at %j', (top, ticks) => {
  expect(ticksOf(top)).toEqual(ticks)
})

it.each([
  ['seven days on a desk', 7, 1_000, 48, 1],
  ['thirty days on a desk', 30, 1_000, 48, 2],
  ['thirty days on a phone', 30, 300, 48, 5],
  ['a page that is not laid out yet', 7, 0, 48, 336],
])('CO-02 labels of %s do not overlap', (_, count, width, label, step) => {
  expect(labelStep(count, width, label)).toBe(step)
})

it.each([
  ['few bars stay slim', 4, 1_000, { bar: 40, distance: 250 }],
  ['many bars share the width', 100, 1_000, { bar: 7.5, distance: 10 }],
  ['no bars are no fault', 0, 40, { bar: 30, distance: 40 }],
])('CO-02 %s', (_, count, width, sizes) => {
  expect(barSizes(count, width)).toEqual(sizes)
})

const A = { x: 0, y: 1 }
const B = { x: 1, y: 2.26 }
it.each([
  ['is empty without points', [], ''],
  ['joins neighbours', [A, B], 'M0 1L1 2.3'],
  ['leaves a gap where a value is not known', [A, null, B, A], 'M0 1M1 2.3L0 1'],
])('CO-02 a line %s', (_, points, path) => {
  expect(linePath(points)).toBe(path)
})

it.each([
  ['far apart stay', [10, 90], [10, 90]],
  ['too near move apart', [50, 52], [50, 64]],
  ['keep their order', [52, 50], [64, 50]],
  ['at the end move up', [99, 100], [86, 100]],
])('CO-02 labels that are %s', (_, ys, placed) => {
  expect(spreadLabels(ys, 14, 100)).toEqual(placed)
})

it.each([
  ['by their share', [1, 3], [25, 75]],
  ['with room for what is rare', [999, 1], [96, 4]],
  ['without room for what did not happen', [0, 2], [0, 100]],
  ['not at all if nothing happened', [0, 0], [0, 0]],
])('CO-04 a bar is divided %s', (_, values, widths) => {
  expect(segmentsOf(values, 100).map(({ width }) => width)).toEqual(widths)
})
