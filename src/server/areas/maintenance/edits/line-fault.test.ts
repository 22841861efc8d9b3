import { describe, expect, it } from 'vitest'
import { findLineFault } from './line-fault.ts'

const hidden = (code: string) => `text that a reader does not see: ${code}`

describe('MA-25 a line that a proposal adds', () => {
  it.each([
    '',
    '\tif (a) { return "naïve 日本 😀 é" } // → ≠ …',
    `${' '.repeat(60)}x`,
    '\t\t    x',
    'x = 1; \t// aligned',
    `${'\t'.repeat(20)}${' '.repeat(40)}x`,
    'x'.repeat(500),
    '日'.repeat(500),
    '\u{1f600}'.repeat(500),
    'не важно', // Letters of one script that look like others are not found.
  ])('may be %j', (line) => {
    expect(findLineFault(line)).toBeUndefined()
  })

  it.each([
    ['501 characters', 'x'.repeat(501), 'a line of 501 characters, and at most 500 are shown'],
    ['a carriage return', 'a\rb', hidden('‹U+000D›')],
    ['a NUL', 'a\0b', hidden('‹U+0000›')],
    ['an escape', '\u001b[2Ka', hidden('‹U+001B›')],
    ['a delete', 'a\u007fb', hidden('‹U+007F›')],
    ['a next line', 'a\u0085b', hidden('‹U+0085›')],
    ['a vertical tab', 'a\vb', hidden('‹U+000B›')],
    ['a form feed', 'a\fb', hidden('‹U+000C›')],
    ['a no-break space', 'a\u00a0b', hidden('‹U+00A0›')],
    ['an Ogham space', 'a\u1680b', hidden('‹U+1680›')],
    ['a hair space', 'a\u200ab', hidden('‹U+200A›')],
    ['an ideographic space', 'a\u3000b', hidden('‹U+3000›')],
    ['a line separator', 'a\u2028b', hidden('‹U+2028›')],
    ['a space without width', 'a\u200bb', hidden('‹U+200B›')],
    ['a joiner', 'a\u200db', hidden('‹U+200D›')],
    ['a soft hyphen', 'a\u00adb', hidden('‹U+00AD›')],
    ['a byte order mark', '\ufeffa', hidden('‹U+FEFF›')],
    ['a direction override', 'a\u202eb', hidden('‹U+202E›')],
    ['a direction isolate', 'a\u2067b', hidden('‹U+2067›')],
    ['an Arabic letter mark', 'a\u061cb', hidden('‹U+061C›')],
    ['a Hangul filler', 'a\u3164', hidden('‹U+3164›')],
    ['a half-width filler', 'a\uffa0', hidden('‹U+FFA0›')],
    ['a choseong filler', 'a\u115f', hidden('‹U+115F›')],
    ['a jungseong filler', 'a\u1160', hidden('‹U+1160›')],
    ['a Khitan filler', 'a\u{16fe4}', hidden('‹U+16FE4›')],
    ['a Braille blank', 'a\u2800', hidden('‹U+2800›')],
    ['a notehead without a shape', 'a\u{1d159}', hidden('‹U+1D159›')],
    ['a musical beam', 'a\u{1d173}', hidden('‹U+1D173›')],
    ['a blank hieroglyph', 'a\u{13441}', hidden('‹U+13441›')],
    ['half a blank hieroglyph', 'a\u{13442}', hidden('‹U+13442›')],
    ['a Tifinagh joiner', 'a\u2d7f', hidden('‹U+2D7F›')],
    ['a Brahmi number joiner', 'a\u{1107f}', hidden('‹U+1107F›')],
    ['a Khmer sign that joins', 'a\u17d2b', hidden('‹U+17D2›')],
    ['a Khmer vowel without a shape', 'a\u17b4', hidden('‹U+17B4›')],
    ['a Mongolian selector', 'a\u180b', hidden('‹U+180B›')],
    ['a variation selector', '❤\ufe0f', hidden('‹U+FE0F›')],
    ['a selector of the supplement', 'a\u{e0101}', hidden('‹U+E0101›')],
    ['a tag', 'a\u{e0041}', hidden('‹U+E0041›')],
    ['a grapheme joiner', 'a\u034f', hidden('‹U+034F›')],
    ['an object replacement', 'a\ufffc', hidden('‹U+FFFC›')],
    ['a private character', 'a\ue000', hidden('‹U+E000›')],
    ['an unassigned character', 'a\u0378', hidden('‹U+0378›')],
    ['a noncharacter', 'a\uffff', hidden('‹U+FFFF›')],
    ['half a character', 'a\ud83d', hidden('‹U+D83D›')],
    ['61 blanks', `a${' '.repeat(61)}b`, hidden('‹U+0020×61›')],
    ['21 tabs', `a${'\t'.repeat(21)}b`, hidden('‹U+0009×21›')],
    ['60 blanks and a tab', `a${' '.repeat(60)}\tb`, 'text that a reader does not see: 61 blanks and tabs'],
    [
      '20 tabs and 41 blanks',
      `${'\t'.repeat(20)}${' '.repeat(41)}b`,
      'text that a reader does not see: 61 blanks and tabs',
    ],
    ['21 tabs between blanks', `a${'\t '.repeat(21)}b`, 'text that a reader does not see: 41 blanks and tabs'],
    [
      'a tab behind a blank in the indent',
      ' \tb',
      'text that looks like other text: a tab behind a blank in the indent',
    ],
    ['a tab behind tabs and blanks', '\t  \tb', 'text that looks like other text: a tab behind a blank in the indent'],
    ['a mark on nothing', '\u0338a', hidden('‹U+0338›')],
    ['five marks on a letter', `x${'\u0323'.repeat(5)}`, hidden('‹U+0323›')],
    ['a Hebrew letter', 'if (a == "א" && 1)', 'text that is written from right to left: ‹U+05D0›'],
    ['an Arabic letter', 'a\u0627', 'text that is written from right to left: ‹U+0627›'],
    ['an Adlam letter', 'a\u{1e900}', 'text that is written from right to left: ‹U+1E900›'],
    ['a letter and its accent apart', 'cafe\u0301()', 'text that looks like other text: ‹U+0065›'],
    ['a Greek question mark', 'return\u037e', 'text that looks like other text: ‹U+037E›'],
    ['a stroke through an equals sign', 'a =\u0338 b', 'text that looks like other text: ‹U+003D›'],
    ['an Ångström sign', '\u212b', 'text that looks like other text: ‹U+212B›'],
  ])('may not have %s', (_, line, fault) => {
    expect(findLineFault(line)).toBe(fault)
  })
})
