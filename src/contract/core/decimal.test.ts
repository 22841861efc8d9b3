import { describe, expect, it } from 'vitest'
import { exactNumber, isNumberText, wholeDigits } from './decimal.ts'

describe('numbers as text', () => {
  it.each([
    ['0', 0],
    ['-0', 0],
    ['0.000', 0],
    ['42', 42],
    ['-1.50', -1.5],
    ['0.1', 0.1],
    ['.5', 0.5],
    ['1e-7', 1e-7],
    ['1.5E+3', 1500],
    ['0.30000000000000004', 0.30000000000000004],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', undefined],
    ['9007199254740993', undefined],
    ['9007199254740990.5', undefined],
    ['0.12345678901234567890', undefined],
    ['1e400', undefined],
    ['1e-400', undefined],
    ['1e300', undefined],
    ['NaN', undefined],
    ['Infinity', undefined],
    ['0x10', undefined],
    ['', undefined],
  ])('DS-10 %s is the JSON number %s', (text, number) => {
    expect(exactNumber(text)).toBe(number)
  })

  it.each([
    ['2024', '2024'],
    ['2024.0', '2024'],
    ['2.024e3', '2024'],
    ['-00120', '-120'],
    ['-0.0', '0'],
    ['2024.5', '2024.5'],
    ['1e999999999', '1e999999999'],
    ['NaN', 'NaN'],
    ['9'.repeat(100), '9'.repeat(100)],
  ])('DS-13 %s is written as %s for an integer column', (text, digits) => {
    expect(wholeDigits(text)).toBe(digits)
  })

  it.each(['1', '-1', '+1', '1.', '.1', '1e5', '1E-5', 'NaN', 'Infinity', '-Infinity'])(
    'DS-13 %s is a number',
    (text) => {
      expect(isNumberText(text)).toBe(true)
    },
  )

  it.each(['', ' ', '1 ', '.', 'e5', '1e', '0x1', '1_000', '1,5', 'nan', '1;2', '١', '1\n'])(
    'DS-13 %j is no number',
    (text) => {
      expect(isNumberText(text)).toBe(false)
    },
  )

  it('DS-13 text of the greatest length is read in linear time', () => {
    const zeros = '0'.repeat(3_900)
    expect(exactNumber(`1${zeros}.${zeros}x`)).toBeUndefined()
    expect(wholeDigits(`1${zeros}1`)).toHaveLength(3_902)
    expect(isNumberText(`${'1'.repeat(7_999)}x`)).toBe(false)
  })
})
