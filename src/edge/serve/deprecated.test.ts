import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { operation } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { docsPages } from '../docs/page.ts'
import { toOpenApi } from '../openapi/document.ts'
import { withDeprecation } from './deprecated.ts'

const deprecated = { since: '2026-01-01', sunset: '2026-07-05', use: 'tokens.create' }
const fields = {
  kind: 'json',
  name: 'tokens.make',
  method: 'GET',
  path: '/api/old',
  summary: 'Make a token',
  access: 'public',
  effect: 'read',
  bodyLimit: 0,
  input: z.object({}),
  output: z.object({}),
} as const
const old = operation({ ...fields, deprecated })

const announced = { deprecation: '@1767225600', sunset: 'Sun, 05 Jul 2026 00:00:00 GMT' }
const LINK = '</docs/tokens#tokens.make>; rel="deprecation"; type="text/html"'

describe('OP-06 a deprecated operation', () => {
  it.each([200, 404, 500])('announces it in each answer, also in one with status %s', async (status) => {
    const answer = withDeprecation(old, async () => Response.json({ a: 1 }, { status, headers: { 'x-a': 'b' } }))
    const response = await answer()
    expect([response.status, await response.json()]).toEqual([status, { a: 1 }])
    expect(Object.fromEntries(response.headers)).toMatchObject({ ...announced, link: LINK, 'x-a': 'b' })
  })

  it('keeps other links of the answer, and takes an answer whose headers cannot be changed', async () => {
    const answer = withDeprecation(old, async () => Response.redirect('https://example.com/'))
    expect((await answer()).headers.get('deprecation')).toBe('@1767225600')
    const linked = withDeprecation(old, async () => new Response(null, { headers: { link: '</next>; rel="next"' } }))
    expect((await linked()).headers.get('link')).toBe(`</next>; rel="next", ${LINK}`)
  })

  it('is marked in the OpenAPI document and on the page of the API, others are not', () => {
    const doc = toOpenApi([old, operation({ ...fields, name: 'tokens.create', path: '/api/new' })], { version: '1' })
    expect(doc.paths['/api/old']!.get).toMatchObject({ deprecated: true, 'x-svc-deprecation': deprecated })
    expect(doc.paths['/api/new']!.get).not.toHaveProperty('deprecated')
    const page = docsPages(doc).groups.get('tokens')!
    expect(page.match(/<dt>Deprecated<\/dt>/g)).toHaveLength(1)
    expect(page).toContain(
      'Since 2026-01-01. It may be removed from 2026-07-05 on. Use <code>tokens.create</code> instead.',
    )
  })

  it('changes nothing of an operation that stays', async () => {
    const handle = async () => new Response('x')
    expect(withDeprecation(operation(fields), handle)).toBe(handle)
  })

  it.each([
    ['ends too early', '2026-01-01', '2026-06-29'],
    ['ends before it begins', '2026-07-01', '2026-01-01'],
    ['has a time instead of a day', '2026-01-01T00:00:00Z', '2026-12-01'],
    ['has a day that does not exist', '2026-01-01', '2026-13-01'],
  ])('cannot be defined if it %s', (_, since, sunset) => {
    expect(() => operation({ ...fields, deprecated: { ...deprecated, since, sunset } })).toThrow(
      /must stay for 180 days/,
    )
  })

  it('names an operation that exists', () => {
    const names = new Set(OPERATIONS.map(({ name }) => name))
    const unknown = OPERATIONS.filter((op) => op.deprecated && !names.has(op.deprecated.use))
    expect(unknown.map(({ name }) => name)).toEqual([])
  })
})
