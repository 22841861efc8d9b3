import { expect, it } from 'vitest'
import { refusalLog } from './refusal-log.ts'

it('MA-15 a refused connection is written once a minute for each reason, and a flood of reasons is cut', () => {
  const lines: string[] = []
  let now = 0
  const log = refusalLog(
    ({ stream, text }) => lines.push(`${stream}: ${text}`),
    () => now,
  )
  log('a is not a public address')
  log('a is not a public address')
  log('b is not a public address')
  expect(lines).toEqual([
    'system: Outgoing connection refused: a is not a public address.',
    'system: Outgoing connection refused: b is not a public address.',
  ])
  for (let n = 0; n < 1000; n++) log(`${n} is not a public address`)
  expect(lines).toHaveLength(100)
  now = 60_000
  log('a is not a public address')
  expect(lines).toHaveLength(101)
})
