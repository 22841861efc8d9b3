import { expect, it } from 'vitest'
import { type IndexState, judgeState } from './index-state.ts'

const measured: IndexState = { indexes: 'a', rows: 1_000 }

it.each<[string, IndexState | undefined, IndexState, [isUsable: boolean, isDue: boolean]]>([
  ['no measurement', undefined, measured, [false, true]],
  ['the same table', measured, measured, [true, false]],
  ['a table just before a fifth more', measured, { indexes: 'a', rows: 1_199 }, [true, false]],
  ['a table with a fifth more', measured, { indexes: 'a', rows: 1_200 }, [true, true]],
  ['a table that has doubled', measured, { indexes: 'a', rows: 2_000 }, [true, true]],
  ['a table that has more than doubled', measured, { indexes: 'a', rows: 2_001 }, [false, true]],
  ['a table with fewer rows', measured, { indexes: 'a', rows: 10 }, [true, false]],
  ['another index', measured, { indexes: 'b', rows: 1_000 }, [false, true]],
  ['a table that was never analyzed', { indexes: 'a', rows: 0 }, { indexes: 'a', rows: 0 }, [true, false]],
])('DS-15 whether a measurement is used and repeated: %s', (_what, before, now, expected) => {
  const { isUsable, isDue } = judgeState(before, now)
  expect([isUsable, isDue]).toEqual(expected)
})
