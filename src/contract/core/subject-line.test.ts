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
})
