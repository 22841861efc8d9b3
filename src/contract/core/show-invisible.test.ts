import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findHiddenText, showInvisible } from './show-invisible.ts'

describe('MA-18 what a reader of a line would not see is shown as a code', () => {
  it.each([
    ['plain text', 'if (a) {\t// naïve 日本 😀 é', 'if (a) {\t// naïve 日本 😀 é'],
    ['indentation', '\t\t    a', '\t\t    a'],
    ['a lone carriage return', '// ok\revil()', '// ok‹U+000D›evil()'],
    ['the carriage return of a Windows line end', 'a\r', 'a‹U+000D›'],
    ['blanks at the end', `a${' '.repeat(1_000)}`, 'a‹U+0020×1000›'],
    ['one blank at the end', 'a ', 'a‹U+0020›'],
    ['blanks before a Windows line end', 'a \t\r', 'a‹U+0020›‹U+0009›‹U+000D›'],
    ['a line of blanks', '   ', '‹U+0020×3›'],
    ['blanks that push code out of sight', `// ok${' '.repeat(1_000)}evil()`, '// ok‹U+0020×1000›evil()'],
    ['60 blanks', `a${' '.repeat(60)}b`, `a${' '.repeat(60)}b`],
    ['tabs that push code out of sight', `a${'\t'.repeat(21)}b`, 'a‹U+0009×21›b'],
    ['a tab behind a blank', ' \ta', ' ‹U+0009›a'],
    ['a Hangul filler', 'a\u3164', 'a‹U+3164›'],
    ['a half-width Hangul filler', 'a\uffa0 = 1', 'a‹U+FFA0› = 1'],
    ['a Hangul jungseong filler', 'a\u1160b', 'a‹U+1160›b'],
    ['a variation selector', 'a\ufe0fb', 'a‹U+FE0F›b'],
    ['a variation selector of the supplement', 'a\u{e0101}b', 'a‹U+E0101›b'],
    ['a grapheme joiner', 'a\u034fb', 'a‹U+034F›b'],
    ['a Khmer inherent vowel', 'a\u17b4b', 'a‹U+17B4›b'],
    ['a Mongolian selector', 'a\u180bb', 'a‹U+180B›b'],
    ['a line separator', 'a\u2028b', 'a‹U+2028›b'],
    ['a paragraph separator', 'a\u2029b', 'a‹U+2029›b'],
    ['a next line control', 'a\u0085b', 'a‹U+0085›b'],
    ['an escape', '\u001b[2K', '‹U+001B›[2K'],
    ['a direction override', 'a\u202eb', 'a‹U+202E›b'],
    ['a direction isolate', 'a\u2066b', 'a‹U+2066›b'],
    ['spaces without width, counted', `a${'\u200b'.repeat(7)}b`, 'a‹U+200B×7›b'],
    ['a no-break space', 'a\u00a0b', 'a‹U+00A0›b'],
    ['an ideographic space', 'a\u3000b', 'a‹U+3000›b'],
    ['a byte order mark', '\ufeffa', '‹U+FEFF›a'],
    ['a soft hyphen', 'a\u00adb', 'a‹U+00AD›b'],
    ['a tag character', 'a\u{e0041}b', 'a‹U+E0041›b'],
    ['a Braille blank', 'a\u2800b', 'a‹U+2800›b'],
    ['a private character', 'a\ue000b', 'a‹U+E000›b'],
    ['an unassigned character', 'a\u{10fffe}b', 'a‹U+10FFFE›b'],
    ['half a character', 'a\ud800b', 'a‹U+D800›b'],
    ['a mark on no letter', '\u0338a', '‹U+0338›a'],
    ['marks that cover other lines', `a${'\u0300'.repeat(9)}`, `a${'\u0300'.repeat(4)}‹U+0300×5›`],
    ['text that looks like a code', '‹U+202E› and ‹a›', '‹U+2039›U+202E› and ‹a›'],
  ])('%s', (_, line, shown) => {
    expect(showInvisible(line)).toBe(shown)
  })

  it('in a way that gives the line back', () => {
    const unit = fc.oneof(
      fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
      fc.constantFrom(' ', '\t', '\r', '‹', 'U+', '×', '›', '\u200b', '\u0300', ' '.repeat(80), '\t'.repeat(30)),
    )
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 30 }), (units) => {
        const line = units.join('').replaceAll('\n', '')
        const shown = showInvisible(line)
        const back = shown.replace(/‹U\+([0-9A-F]{4,6})(?:×(\d+))?›/g, (_, hex: string, count = '1') =>
          String.fromCodePoint(Number.parseInt(hex, 16)).repeat(Number(count)),
        )
        expect(back).toBe(line)
      }),
      { numRuns: 50 },
    )
  })

  it('in time that grows with the length alone', () => {
    expect(showInvisible(`${' '.repeat(200_000)}x${'\t'.repeat(200_000)}x`)).toBe('‹U+0020×200000›x‹U+0009×200000›x')
  })
})

it.each([
  ['tabs', '\ta\tb', undefined],
  ['two blanks at the end of a line', 'a  ', undefined],
  ['letters of all kinds', 'naïve 日本 😀', undefined],
  ['a lone carriage return', '// ok\revil()', '‹U+000D›'],
  ['a carriage return at the end', 'a\r', '‹U+000D›'],
  ['long blanks at the end of a line', `a${' '.repeat(61)}`, '‹U+0020×61›'],
  ['a Hangul filler', 'const \u3164 = 1', '‹U+3164›'],
  ['a line separator', '// a\u2028b()', '‹U+2028›'],
  ['an emoji with a variation selector', '❤\ufe0f', '‹U+FE0F›'],
  ['a no-break space', 'a\u00a0b', '‹U+00A0›'],
  ['half a character', '\ud800', '‹U+D800›'],
  ['a mark at the beginning of a line', '\u0338b', '‹U+0338›'],
])('MA-18 hidden text is found: %s', (_, text, code) => {
  expect(findHiddenText(text)).toBe(code)
})

it('MA-18 every character that Unicode lets a program ignore, and every blank but the ASCII one, is hidden text', () => {
  const all = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).join('')
  const invisible = all.match(
    /(?![\t ])[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Bidi_Control}\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Z}]/gu,
  )!
  expect(invisible.length).toBeGreaterThan(4_000)
  expect(invisible.filter((character) => findHiddenText(`a${character}b`) === undefined)).toEqual([])
})
