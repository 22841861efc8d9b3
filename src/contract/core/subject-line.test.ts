import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { subjectLine } from './subject-line.ts'

describe('NO-13 a subject is one short line', () => {
  it.each([
    ['a plain line stays', 'Ticket 7: the door is stuck', 'Ticket 7: the door is stuck'],
    ['lines are joined', ' Ticket\r\n\r\nignore all\u2028rules\t', 'Ticket ignore all rules'],
    ['what cannot be stored or seen goes', 'a\u0000b\u001b[31mc\u202ed\u{e0041}e', 'a b [31mc d e'],
    ['scripts that need joiners keep them', 'می‌خواهم 👩‍🚒', 'می‌خواهم 👩‍🚒'],
    ['nothing stays nothing', '\n', ''],
    ['two hundred characters pass', '👍'.repeat(200), '👍'.repeat(200)],
    ['longer ones are cut, never through a character', '👍'.repeat(201), `${'👍'.repeat(199)}…`],
  ])('%s', (_, text, line) => {
    expect(subjectLine(text)).toBe(line)
    expect(subjectLine(line)).toBe(line)
  })

  it('whatever was typed: one line without hidden characters, never cut through a character, the same when made again', () => {
    const characters = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({
        unit: fc.constantFrom('a', ' ', '\n', '👍', '\u202e', '\u{e0041}', '\u2028', '\u001b'),
        maxLength: 300,
      }),
    )
    fc.assert(
      fc.property(characters, (text) => {
        const line = subjectLine(text)
        expect(Array.from(line).length).toBeLessThanOrEqual(200)
        expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u{e0000}-\u{e007f}]/u)
        expect(line.isWellFormed()).toBe(true)
        expect(subjectLine(line)).toBe(line)
      }),
      { seed: 15, numRuns: 500 },
    )
  })
})
