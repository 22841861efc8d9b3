import { expect, it } from 'vitest'
import { sizeText } from './size.ts'

it('CO-02 sizes are short', () => {
  expect([0, 999, 1000, 16_384, 5e9].map(sizeText)).toEqual(['0 bytes', '999 bytes', '1.0 KB', '16.4 KB', '5.0 GB'])
})
