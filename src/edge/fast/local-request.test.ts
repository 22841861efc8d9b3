import { expect, it } from 'vitest'
import { localBody, localRequest } from './local-request.ts'

const HEADERS = { 'content-type': 'application/json', authorization: 'Bearer one' }
const parts = { method: 'POST', headers: HEADERS, body: '{"question":"how?"}' }
const URL_OF_CALL = 'http://api-gateway/api/wf/data-sources/db_1/query?a=b'

it('has every field that a Request has', () => {
  const real = new Request(URL_OF_CALL, parts)
  const local = localRequest(URL_OF_CALL, parts)
  const fields: string[] = []
  for (let type: object = Request.prototype; type !== Object.prototype; type = Object.getPrototypeOf(type) as object)
    fields.push(...Object.getOwnPropertyNames(type).filter((name) => name !== 'constructor'))
  const shown = (request: Request) =>
    Object.fromEntries(fields.map((name) => [name, describeField(request[name as keyof Request])]))
  expect(fields).toContain('redirect')
  expect(shown(local)).toEqual(shown(real))
})

it('gives its body as text at once, and as a stream where one is read', async () => {
  expect(localBody(localRequest(URL_OF_CALL, parts))).toBe(parts.body)
  expect(localBody(new Request(URL_OF_CALL, parts))).toBeUndefined()
  expect(await localRequest(URL_OF_CALL, parts).json()).toEqual({ question: 'how?' })
  expect(await new Response(localRequest(URL_OF_CALL, parts).body).text()).toBe(parts.body)
  expect(localRequest(URL_OF_CALL, { method: 'GET', headers: {} }).body).toBeNull()
})

it('asks for the signal only when it is read, and is aborted with it', () => {
  const controller = new AbortController()
  let asked = 0
  const signal = () => {
    asked += 1
    return controller.signal
  }
  const request = localRequest(URL_OF_CALL, { ...parts, signal })
  expect([request.method, request.url, request.headers.get('authorization'), asked]).toEqual([
    'POST',
    URL_OF_CALL,
    'Bearer one',
    0,
  ])
  controller.abort()
  expect(request.signal.aborted).toBe(true)
  expect(request.clone().signal.aborted).toBe(true)
})

function describeField(field: unknown): unknown {
  if (typeof field === 'function') return 'function'
  return typeof field === 'object' && field !== null ? field.constructor.name : field
}
