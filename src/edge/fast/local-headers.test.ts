import { describe, expect, it } from 'vitest'
import { localHeaders } from './local-headers.ts'

const FIELDS = { accept: 'application/json', authorization: 'Bearer one', 'content-type': 'text/plain; charset=utf-8' }

describe('the headers of a call in memory', () => {
  it.each([
    'accept',
    'Accept',
    'AUTHORIZATION',
    'content-type',
    'cookie',
    'constructor',
    'to-string',
    '__proto__',
    'a_b',
  ])('have the value of %s that real ones have', (name) => {
    const [local, real] = [localHeaders(FIELDS), new Headers(FIELDS)]
    expect([local.get(name), local.has(name)]).toEqual([real.get(name), real.has(name)])
  })

  it('are those of real ones for all that reads them whole', () => {
    const real = new Headers(FIELDS)
    expect(localHeaders(FIELDS)).toBeInstanceOf(Headers)
    expect([...localHeaders(FIELDS)]).toEqual([...real])
    expect([...localHeaders(FIELDS).keys()]).toEqual([...real.keys()])
    expect([...new Headers(localHeaders(FIELDS))]).toEqual([...real])
    expect([...new Request('http://a/', { headers: localHeaders(FIELDS) }).headers]).toEqual([...real])
    const seen: string[][] = []
    localHeaders(FIELDS).forEach((value, name) => void seen.push([name, value]))
    expect(seen).toEqual([...real])
  })

  it('change as real ones do', () => {
    const local = localHeaders(FIELDS)
    local.set('accept', 'text/html')
    local.append('accept', 'text/plain')
    local.delete('authorization')
    expect([local.get('accept'), local.has('authorization')]).toEqual(['text/html, text/plain', false])
  })

  it.each([{ 'x-a': ' spaced ' }, { 'X-A': 'upper' }, { 'x-a': '' }, { 'x-a': 'caf\u00e9' }])(
    '%j: are real ones',
    (fields) => {
      expect([...localHeaders(fields as Record<string, string>)]).toEqual([
        ...new Headers(fields as Record<string, string>),
      ])
    },
  )

  it.each([{ 'x-a': 'two\nlines' }, { 'x a': 'name' }, { 'x-a': '\u2028' }])('%j: are refused', (fields) => {
    expect(() => localHeaders(fields as Record<string, string>)).toThrow(TypeError)
  })

  it.each(['', 'a b', 'a\n'])('refuse the name %j', (name) => {
    expect(() => localHeaders(FIELDS).get(name)).toThrow(TypeError)
  })
})
