import { describe, expect, it } from 'vitest'
import { parseLine } from './parse-line.ts'

describe('CO-09 a line of a log', () => {
  it.each([
    ['words', 'GET / took 5 ms'],
    ['a sentence with one pair', 'retrying with delay=5'],
    ['a brace that begins no JSON', '{not json}'],
    ['nothing', ''],
    ['an empty object', '{}'],
  ])('of %s has no fields', (_, text) => {
    expect(parseLine(text)).toBeUndefined()
  })

  it('of JSON has its message first, and fields by name', () => {
    expect(parseLine('{"level":30,"time":1,"msg":"paid","order":7,"user":{"id":"a b"}}')).toEqual({
      message: 'paid',
      fields: [
        { name: 'order', value: '7', search: '"order":7' },
        // A pair with a space would be searched as two words.
        { name: 'user', value: '{"id":"a b"}', search: '{"id":"a b"}' },
      ],
    })
  })

  it('of JSON with spaces is found by the value', () => {
    expect(parseLine('{"message": "paid", "order": 7}')).toEqual({
      message: 'paid',
      fields: [{ name: 'order', value: '7', search: '7' }],
    })
  })

  it('of pairs has the words and the message first', () => {
    expect(parseLine('level=info handler msg="took long" status=200 path=/cart')).toEqual({
      message: 'handler took long',
      fields: [
        { name: 'status', value: '200', search: 'status=200' },
        { name: 'path', value: '/cart', search: 'path=/cart' },
      ],
    })
  })

  it('shows a bounded number of fields', () => {
    const many = JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n])))
    expect(parseLine(many)!.fields).toHaveLength(40)
  })

  it.each([
    ['lists', `{"msg":"a","deep":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
    ['objects', `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`],
  ])('of JSON with deeply nested %s is shown as it is', (_, text) => {
    expect(parseLine(text)).toBeUndefined()
  })

  it.each([
    ['one word', 'a'.repeat(2_000_000)],
    ['one word with dashes', 'a-'.repeat(1_000_000)],
    ['one value that ends in a quotation mark', `${'a='.repeat(1_000_000)}"`],
    ['values that begin with a quotation mark', 'a="b '.repeat(400_000)],
    ['escaped quotation marks', 'a="\\" '.repeat(300_000)],
  ])('of %s does not stop the page, however long it is', (_, text) => {
    expect(parseLine(text)).toBeUndefined()
  })

  it('of JSON keeps a field whose name means something to JavaScript', () => {
    expect(parseLine('{"msg":"a","__proto__":{"msg":"b"},"constructor":1}')).toEqual({
      message: 'a',
      fields: [
        { name: '__proto__', value: '{"msg":"b"}', search: '"__proto__":{"msg":"b"}' },
        { name: 'constructor', value: '1', search: '"constructor":1' },
      ],
    })
  })
})
