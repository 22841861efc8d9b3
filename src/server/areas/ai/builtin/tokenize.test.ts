import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Tokenizer } from '@huggingface/tokenizers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTokenize } from './tokenize.ts'
import { weightsFolder } from './weights.ts'

const read = (file: string) => JSON.parse(readFileSync(join(weightsFolder(), file), 'utf8')) as object
const tokenizer = new Tokenizer(read('tokenizer.json'), read('tokenizer_config.json'))
const tokenize = createTokenize(tokenizer)

describe('DS-24 word pieces', () => {
  it('are those of the whole text, cut to 256 with the closing mark kept', () => {
    const word = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('office', '[SEP]', '\ufeff', '한국어', 'x'))
    const text = fc.array(fc.tuple(word, fc.constantFrom(' ', '\n', '\t', '  ', '.')), { maxLength: 300 })
    const whole = (sent: string) => {
      const { ids } = tokenizer.encode(sent)
      return ids.length <= 256 ? ids : [...ids.slice(0, 255), 102]
    }
    fc.assert(
      fc.property(text, (words) => {
        const sent = words.flat().join('')
        expect(tokenize(sent)).toEqual(whole(sent))
      }),
    )
  })

  it.each([
    ['nothing', '', [101, 102]],
    ['two words', 'hello world', [101, 7592, 2088, 102]],
    ['600 words', 'hello '.repeat(600), [101, ...Array<number>(254).fill(7592), 102]],
  ])('%s', (_, text, ids) => {
    expect(tokenize(text)).toEqual(ids)
  })
})
