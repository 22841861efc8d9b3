import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DefinitionOf } from '#contract/checks/definition.ts'
import { createSafeFetch } from '#lib/net/safe-fetch.ts'
import type { AppAnswer } from '#ports/apps.ts'
import { fakeConnect, fakeResolve, type Peer, startPeer } from '#test/outside/internet.ts'
import { runHttp } from './http.ts'

const APP = { orgId: 'org_1', id: 'app_1' }
const signal = new AbortController().signal

let peer: Peer
beforeAll(async () => {
  peer = await startPeer((request, response) => {
    if (request.url === '/moved') return void response.writeHead(302, { location: 'http://10.0.0.1/' }).end()
    if (request.url === '/broken') return void response.writeHead(500).end()
    if (request.url === '/silent') return
    response.end('all is well')
  })
})
afterAll(() => peer?.[Symbol.asyncDispose]())

const NAMES = {
  'shop.example.com': [['93.184.215.14']],
  'inner.example.com': [['10.0.0.1']],
  'closed.example.com': [['93.184.215.15']],
}
const deps = (answer: AppAnswer | ((signal: AbortSignal) => Promise<AppAnswer>)) => ({
  probe: {
    get: async (_app: unknown, _path: string, limit: AbortSignal) =>
      typeof answer === 'function' ? answer(limit) : answer,
  },
  safeFetch: createSafeFetch({
    resolve: fakeResolve(NAMES),
    connect: fakeConnect({ '93.184.215.14': peer }),
  }),
})
const definition = (over: Partial<DefinitionOf<'http'>>): DefinitionOf<'http'> => ({
  kind: 'http',
  target: '/',
  expected_status: null,
  contains: null,
  timeout_seconds: 10,
  ...over,
})
const answered = (status: number, body = ''): AppAnswer => ({
  type: 'answered',
  response: new Response(body, { status }),
})
const verdict = async (answer: Parameters<typeof deps>[0], over: Partial<DefinitionOf<'http'>> = {}) => {
  const outcome = await runHttp(deps(answer), APP, definition(over), signal)
  return outcome === 'restarting' ? outcome : `${outcome.verdict} ${outcome.code}`
}

describe('an HTTP check of a path', () => {
  it.each([
    [200, null, 'pass answered'],
    [302, null, 'pass answered'],
    [404, null, 'fail wrong_status'],
    [500, null, 'fail wrong_status'],
    [404, 404, 'pass answered'],
    [200, 404, 'fail wrong_status'],
  ])('judges an answer %i where %s is expected as %s', async (status, expected_status, expected) => {
    expect(await verdict(answered(status), { expected_status })).toBe(expected)
  })

  it('looks for a text in the beginning of the answer only', async () => {
    expect(await verdict(answered(200, 'all is well'), { contains: 'is well' })).toBe('pass answered')
    expect(await verdict(answered(200, 'all is lost'), { contains: 'is well' })).toBe('fail text_missing')
    expect(await verdict(answered(200, `${'x'.repeat(64 * 1024)}is well`), { contains: 'is well' })).toBe(
      'fail text_missing',
    )
  })

  it('fails if the app does not run, breaks the connection or is silent, and is in error if svc has no address of it', async () => {
    expect(await verdict({ type: 'not_running' })).toBe('fail not_running')
    expect(await verdict({ type: 'no_answer' })).toBe('fail no_answer')
    expect(await verdict({ type: 'no_address' })).toBe('error no_address')
    const silent = (limit: AbortSignal) =>
      new Promise<never>((_, reject) => limit.addEventListener('abort', () => reject(limit.reason)))
    expect(await verdict(silent, { timeout_seconds: 0.01 })).toBe('fail timeout')
  })

  it('fails if the connection breaks in the middle of the answer', async () => {
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error('read ECONNRESET')),
    })
    const answer: AppAnswer = { type: 'answered', response: new Response(broken) }
    expect(await verdict(answer, { contains: 'is well' })).toBe('fail no_answer')
  })

  it('rejects when its run is aborted, which is no verdict', async () => {
    const aborted = AbortSignal.abort(new Error('the lease is lost'))
    const run = runHttp(
      deps(async (limit) => Promise.reject(limit.reason)),
      APP,
      definition({}),
      aborted,
    )
    await expect(run).rejects.toThrow('the lease is lost')
  })
})

describe('an HTTP check of an address', () => {
  const NONE: AppAnswer = { type: 'no_address' }
  it.each([
    ['https://shop.example.com/up', 'pass answered'],
    ['https://shop.example.com/moved', 'pass answered'],
    ['https://shop.example.com/broken', 'fail wrong_status'],
    ['https://closed.example.com/', 'fail no_answer'],
    ['https://inner.example.com/', 'error refused_address'],
    ['http://127.0.0.1:5432/', 'error refused_address'],
    ['http://169.254.169.254/latest/meta-data', 'error refused_address'],
    ['https://nobody.example.com/', 'error dns'],
  ])('%s gives %s', async (target, expected) => {
    expect(await verdict(NONE, { target })).toBe(expected)
  })

  it('reads the text of the answer, and fails at its time limit', async () => {
    expect(await verdict(NONE, { target: 'https://shop.example.com/up', contains: 'all is well' })).toBe(
      'pass answered',
    )
    expect(await verdict(NONE, { target: 'https://shop.example.com/silent', timeout_seconds: 0.05 })).toBe(
      'fail timeout',
    )
  })

  it('names the origin only, because the rest of an address can be secret', async () => {
    const outcome = await runHttp(
      deps(NONE),
      APP,
      definition({ target: 'https://shop.example.com/up?key=s3cret', expected_status: 418 }),
      signal,
    )
    expect(outcome).toMatchObject({ detail: 'https://shop.example.com answered 200 instead of 418.' })
  })
})
