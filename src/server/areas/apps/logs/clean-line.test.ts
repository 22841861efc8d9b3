import { describe, expect, it } from 'vitest'
import { statedLevel } from '#lib/log/stated-level.ts'
import { cleanLine } from './clean-line.ts'
import { levelOfOtlp } from './level.ts'
import { timeOfLine } from './time-of-line.ts'

describe('MA-15 a log line', () => {
  it.each([
    ['plain', 'plain'],
    ['tab\tstays', 'tab\tstays'],
    ['ends with a carriage return\r', 'ends with a carriage return'],
    ['nul\u0000byte', 'nul\ufffdbyte'],
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007text', 'text'],
    ['a\rforged', 'a\ufffdforged'],
    ['lone \ud800 surrogate', 'lone \ufffd surrogate'],
    ['\u202eflipped', '\ufffdflipped'],
    ['', ''],
  ])('%j is stored as %j', (text, stored) => {
    expect(cleanLine(text)).toBe(stored)
  })

  it('of a megabyte is cut at a whole character and says so', () => {
    const cut = cleanLine('ä'.repeat(500_000))
    expect(cut).toBe(`${'ä'.repeat(8_192)}… (983616 bytes cut)`)
  })

  // Each of these took minutes when every beginning was searched to the end of the line.
  it.each(['\u001b]', '\u001b[', '\u001b[0', '\u001bP', '\u001b ', '\u001b', '\u009b', '\u009d', '\u0090'])(
    'OP-09 of a megabyte of %j is cleaned in time that grows with its length alone',
    (beginning) => {
      const cleaned = cleanLine(beginning.repeat(1_000_000 / beginning.length))
      expect(Buffer.byteLength(cleaned)).toBeLessThan(17_000)
      expect(cleaned).toMatch(/bytes cut\)$/)
    },
  )

  it.each([
    ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001b(B\u001b7ok', 'ok'],
    ['\u001b]0;without an end', '0;without an end'],
    ['\u009b31mred', 'red'],
  ])('of the terminal sequence %j keeps %j', (text, stored) => {
    expect(cleanLine(text)).toBe(stored)
  })

  it.each([
    ['{"level":50,"msg":"x"}', 'error'],
    ['{"msg":"x","level":"warn"}', 'warn'],
    ['{"severity":"INFO"}', 'info'],
    ['2026-01-01T00:00:00Z ERROR failed', 'error'],
    ['2026-01-01T00:00:00Z TRACE entered', 'debug'],
    ['[warn] careful', 'warn'],
    ['WARNING: careful', 'warn'],
    ['Error handling is hard', undefined],
    ['nothing to see', undefined],
  ])('%j has the level %s', (text, level) => {
    expect(statedLevel(text)).toBe(level)
  })

  it.each([
    [0, 'info'],
    [1, 'debug'],
    [8, 'debug'],
    [9, 'info'],
    [13, 'warn'],
    [17, 'error'],
    [24, 'error'],
  ])('of the OpenTelemetry severity %i is %s', (severity, level) => {
    expect(levelOfOtlp(severity)).toBe(level)
  })

  it.each([
    ['2026-01-01T00:59:00.000Z', '2026-01-01T00:59:00.000Z'],
    ['2026-01-01T01:01:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['9999-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['1969-12-31T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  ])('dated %s is kept as of %s', (given, storedTime) => {
    expect(timeOfLine(new Date(given), new Date('2026-01-01T00:00:00.000Z')).toISOString()).toBe(storedTime)
  })
})
