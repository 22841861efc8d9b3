import { describe, expect, it } from 'vitest'
import { chooseFormat, encode, type Format, prefersHtml } from './negotiate.ts'

describe('chooseFormat', () => {
  const cases: [accept: string | null, fallback: Format, chosen: Format][] = [
    [null, 'json', 'json'],
    [null, 'yaml', 'yaml'],
    ['', 'yaml', 'yaml'],
    ['*/*', 'json', 'json'],
    ['*/*', 'yaml', 'yaml'],
    ['application/json', 'yaml', 'json'],
    ['APPLICATION/JSON', 'yaml', 'json'],
    ['application/json; charset=utf-8', 'yaml', 'json'],
    ['application/problem+json', 'yaml', 'json'],
    ['application/yaml', 'json', 'yaml'],
    ['application/x-yaml', 'json', 'yaml'],
    ['text/yaml', 'json', 'yaml'],
    ['text/x-yaml', 'json', 'yaml'],
    ['application/yaml, application/json', 'json', 'yaml'],
    ['application/yaml;q=0.5, application/json;q=0.9', 'yaml', 'json'],
    ['application/yaml;q=0.5, application/json', 'yaml', 'json'],
    ['application/json;q=0, application/yaml', 'json', 'yaml'],
    ['application/json;q=nonsense, application/yaml;q=0.1', 'json', 'yaml'],
    ['application/json, text/plain, */*', 'yaml', 'json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'yaml', 'yaml'],
    ['text/html', 'json', 'json'],
    ['text/html', 'yaml', 'yaml'],
    ['application/jsonp', 'yaml', 'yaml'],
    ['application/json-seq', 'yaml', 'yaml'],
    [';;,,', 'json', 'json'],
  ]
  it.each(cases)('Accept %j where %s is the default gives %s', (accept, fallback, chosen) => {
    expect(chooseFormat(accept, fallback)).toBe(chosen)
  })
})

describe('encode', () => {
  it('gives body and media type of the format', () => {
    expect(encode({ a: 'b' }, 'json')).toEqual({ body: '{"a":"b"}', type: 'application/json' })
    expect(encode({ a: 'b' }, 'yaml')).toEqual({ body: 'a: "b"\n', type: 'application/yaml' })
  })
})

describe('prefersHtml', () => {
  it.each<[accept: string | null, preferred: boolean]>([
    [null, false],
    ['', false],
    ['*/*', false],
    ['text/html', true],
    ['TEXT/HTML; charset=utf-8', true],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
    ['application/xhtml+xml', true],
    ['application/json, text/html', false],
    ['text/html;q=0.5, application/yaml;q=0.6', false],
    ['image/png, text/html', true],
    ['text/html;q=0', false],
    ['*/*, text/html', false],
  ])('%s: %s', (accept, preferred) => {
    expect(prefersHtml(accept)).toBe(preferred)
  })
})
