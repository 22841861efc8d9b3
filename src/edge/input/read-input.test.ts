import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { boundedMap } from '#contract/core/bounded-map.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { BODY_LIMIT } from '#contract/core/limits.ts'
import { operation } from '#contract/core/operation.ts'
import { localRequest } from '../fast/local-request.ts'
import { createInputReader } from './read-input.ts'

let checkedValues = 0
const Counted = z.unknown().refine(() => {
  checkedValues++
  return false
}, 'is wrong')

const wide = operation({
  kind: 'json',
  name: 'test.wide',
  method: 'POST',
  path: '/wide',
  summary: 'Takes much',
  access: 'public',
  effect: 'write',
  bodyLimit: 2 * BODY_LIMIT,
  input: z.object({
    list: z.array(Counted).optional(),
    either: z.array(z.union([z.array(Counted), z.string()])).optional(),
    rows: z.array(z.strictObject({ a: Counted })).optional(),
    map: boundedMap(z.string(), Counted, 20).optional(),
    name: z.string().max(10).optional(),
  }),
  output: z.object({}),
})
const read = createInputReader(wide)

async function refusalOf(input: unknown) {
  checkedValues = 0
  const headers = { 'content-type': 'application/json' }
  const request = new Request('http://x/wide', { method: 'POST', headers, body: JSON.stringify(input) })
  const refusal = await read(request, {}, '').catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(ServiceError)
  const problem = (refusal as ServiceError).toProblem('req_1')
  expect(JSON.stringify(problem).length).toBeLessThan(4_000)
  return { detail: problem.detail, errors: problem.errors, checkedValues }
}

const times = <T>(count: number, item: T) => Array.from({ length: count }, () => item)
const keys = (count: number) => Object.fromEntries(times(count, 0).map((_, n) => [`key${n}`, n]))

describe('the check of a large input', () => {
  const cases: [string, unknown, string][] = [
    ['130,001 wrong items', { list: times(130_001, 1) }, 'list.0'],
    ['wrong items of a union', { either: times(60_000, [1]) }, 'either.0'],
    ['wrong rows', { rows: times(20_000, { a: 1 }) }, 'rows.0.a'],
    ['rows with unknown keys', { rows: times(20_000, { b: 1 }) }, 'rows.0.a'],
  ]
  it.each(cases)('OP-10 stops at the first fault of %s', async (_, input, path) => {
    const { detail, errors, checkedValues: checked } = await refusalOf(input)
    expect(errors?.map((fault) => fault.path)).toEqual([path])
    expect(detail).toMatch(/; the rest of the input was not checked$/)
    expect(checked).toBeLessThanOrEqual(2)
  })

  it('OP-10 names ten of many unknown keys', async () => {
    const { errors } = await refusalOf(keys(15_000))
    expect(errors).toHaveLength(10)
    expect(errors?.[0]).toEqual({ path: 'key0', message: 'unknown key' })
  })

  it('OP-10 counts the entries of a map before it checks one of them', async () => {
    const { errors, checkedValues: checked } = await refusalOf({ map: keys(10_000) })
    expect(errors).toEqual([{ path: 'map', message: 'must have at most 20 entries' }])
    expect(checked).toBe(0)
  })

  it('OP-10 shows at most 200 characters of a path', async () => {
    const { errors } = await refusalOf({ ['k'.repeat(100_000)]: 1 })
    expect(errors).toEqual([{ path: 'k'.repeat(200), message: 'unknown key' }])
  })
})

it('every fault of a small input is listed', async () => {
  const { errors } = await refusalOf({ list: [1, 2], rows: [{ a: 1, b: 2 }], name: 'much too long', other: 1 })
  expect(errors?.map(({ path }) => path)).toEqual(['list.0', 'list.1', 'rows.0.a', 'rows.0.b', 'name', 'other'])
})

describe('the query string', () => {
  const list = operation({ ...wide, name: 'test.list', method: 'GET', input: z.object({ id: z.array(z.string()) }) })
  const readList = createInputReader(list)
  const inputOf = (query: string) => readList(new Request('http://x/wide'), {}, query)

  it('a key that is given more than once is a list', async () => {
    expect(await inputOf('id=a&id=b')).toEqual({ id: ['a', 'b'] })
  })

  it('__proto__ is an unknown key', async () => {
    await expect(inputOf('id=a&__proto__=b')).rejects.toThrow('__proto__: unknown key')
  })
})

it('a local request has no larger body than one over the network', async () => {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'é'.repeat(BODY_LIMIT) })
  expect(body.length).toBeLessThan(2 * BODY_LIMIT)
  await expect(read(localRequest('http://x/wide', { method: 'POST', headers, body }), {}, '')).rejects.toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
  })
})
