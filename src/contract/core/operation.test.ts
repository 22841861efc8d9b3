import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { OPERATIONS } from '../operations.ts'
import { inputInQuery, type Operation, operation, pathParameters } from './operation.ts'

const all = OPERATIONS.map((op) => [op.name, op] as const)

const rest = {
  kind: 'json',
  name: 'test.get',
  method: 'GET',
  path: '/test/{id}',
  summary: 'Gets',
  input: z.object({ id: z.string() }),
  output: z.object({}),
} as const

describe('the list of operations', () => {
  it('no name is used twice', () => {
    const names = OPERATIONS.map(({ name }) => name)
    expect(names).toEqual([...new Set(names)])
  })

  it('no method and path is used twice, whatever the path parameters are called', () => {
    const places = OPERATIONS.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`)
    expect(places).toEqual([...new Set(places)])
  })

  it('no MCP tool name is used twice', () => {
    const tools = OPERATIONS.flatMap((op) => (op.kind === 'json' && op.tool ? [op.tool.name] : []))
    expect(tools).toEqual([...new Set(tools)])
  })

  it.each(all)('%s is named area.verb and has a summary', (name, { summary }) => {
    expect(name).toMatch(/^[a-z][a-z-]*\.[a-z][a-z-]*$/)
    expect(summary).not.toBe('')
  })

  it.each(all)('%s has an input key for each parameter of its path, and a well-formed path', (_, { path, input }) => {
    expect(path).toMatch(/^(?:\/|(?:\/(?:[a-z0-9._-]+|\{\w+\}))+)$/)
    for (const name of pathParameters(path)) expect(Object.keys(input.shape)).toContain(name)
  })

  it.each(all)('%s refuses unknown keys', (_, { input }) => {
    const { error } = input.safeParse({ no_such_key: 1 })
    expect(error?.issues).toContainEqual(expect.objectContaining({ code: 'unrecognized_keys', keys: ['no_such_key'] }))
  })

  it.each(all)('%s names the organization of the path as the gate looks for it', (_, { access, path }) => {
    if (typeof access === 'object' && access.org === 'path') expect(pathParameters(path)).toContain('org_id')
  })
})

describe('operation', () => {
  it('makes the input strict and freezes the definition', () => {
    const op = operation({ ...rest, access: 'public', effect: 'read', bodyLimit: 0 })
    expect(op.input.safeParse({ id: 'a', other: 1 }).success).toBe(false)
    expect(Object.isFrozen(op)).toBe(true)
  })

  it('does not compile without access, effect or body limit', () => {
    operation({ ...rest, access: 'public', effect: 'read', bodyLimit: 0 })
    // @ts-expect-error access is missing
    operation({ ...rest, effect: 'read', bodyLimit: 0 })
    // @ts-expect-error effect is missing
    operation({ ...rest, access: 'public', bodyLimit: 0 })
    // @ts-expect-error bodyLimit is missing
    operation({ ...rest, access: 'public', effect: 'read' })
    // @ts-expect-error the access of a member states its scope
    operation({ ...rest, access: { principals: ['user'], role: null, org: 'token' }, effect: 'read', bodyLimit: 0 })
    expect.assertions(0)
  })
})

describe('pathParameters', () => {
  it.each([
    ['/a/b', []],
    ['/a/{id}', ['id']],
    ['/a/{org_id}/b/{id}', ['org_id', 'id']],
  ])('%s has %j', (path, params) => {
    expect(pathParameters(path)).toEqual(params)
  })
})

describe('inputInQuery', () => {
  const cases: [Operation['kind'], Operation['method'], boolean][] = [
    ['json', 'GET', true],
    ['json', 'DELETE', true],
    ['json', 'POST', false],
    ['json', 'PUT', false],
    ['json', 'PATCH', false],
    ['stream', 'GET', true],
    ['stream', 'POST', false],
    ['upload', 'POST', true],
    ['upload', 'PUT', true],
    ['raw', 'POST', true],
  ]
  it.each(cases)('%s %s: %s', (kind, method, expected) => {
    expect(inputInQuery({ ...rest, kind, method } as unknown as Operation)).toBe(expected)
  })

  it('a raw operation can have its input in a JSON body', () => {
    expect(inputInQuery({ ...rest, kind: 'raw', method: 'POST', jsonInput: true } as unknown as Operation)).toBe(false)
  })
})
