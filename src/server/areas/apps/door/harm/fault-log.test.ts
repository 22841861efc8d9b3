import { expect, it } from 'vitest'
import { FaultLog } from './fault-log.ts'

function open() {
  const lines: unknown[] = []
  const time = { now: 0 }
  return {
    lines,
    time,
    faults: new FaultLog(
      (line) => lines.push(line),
      () => time.now,
    ),
  }
}

it('OP-09 an app that resets every connection costs a line at once and one a minute, with the number of faults', () => {
  const { lines, time, faults } = open()
  for (let n = 0; n < 1_000; n++) faults.add('loud', 'reset')
  faults.add('quiet', 'closed')
  expect(lines).toEqual([
    { app: 'loud', reason: 'reset', count: 1 },
    { app: 'quiet', reason: 'closed', count: 1 },
  ])
  time.now = 60_000
  faults.add('quiet', 'closed')
  expect(lines.slice(2)).toEqual([
    { app: 'loud', reason: 'reset', count: 999 },
    { app: 'quiet', reason: 'closed', count: 1 },
  ])
})

it('OP-09 faults of more than 1,000 apps in a minute are counted together', () => {
  const { lines, faults } = open()
  for (let n = 0; n < 3_000; n++) faults.add(`app-${n}`, 'reset')
  expect(lines).toHaveLength(1_001)
  expect(lines.at(-1)).toEqual({ app: 'others', reason: 'reset', count: 1 })
})
