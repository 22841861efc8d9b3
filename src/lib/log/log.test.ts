import { describe, expect, it } from 'vitest'
import { makeToken } from '../../server/areas/auth/model/token-format.ts'
import { createLog, hideSecrets, redact } from './log.ts'
import type { LogLevel } from './log-levels.ts'

const TOKEN = makeToken()
const OPERATOR = `svcop_${'aZ09-_'.repeat(7)}A`
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c3JfMSJ9.s-5_qqXh4p8GqQ'
const PASSWORD = 'hunter2-of-postgres'
const URL_WITH_PASSWORD = `postgres://svc:${PASSWORD}@db.example:5432/svc`

function openLog(level: LogLevel = 'debug') {
  const lines: string[] = []
  const log = createLog(level, { write: (line: string) => void lines.push(line) })
  const entry = () => JSON.parse(lines.at(-1)!) as Record<string, unknown>
  return { log, lines, entry }
}

describe('a line', () => {
  it('is JSON with time, level, fields and message', () => {
    const { log, lines, entry } = openLog()
    log.info({ org_id: 'org_1', count: 3, at: new Date(0), none: null, list: [1, 'a'] }, 'made')
    expect(lines[0]).toMatch(/^\{.*\}\n$/)
    const { time, ...rest } = entry()
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(rest).toEqual({
      level: 'info',
      org_id: 'org_1',
      count: 3,
      at: '1970-01-01T00:00:00.000Z',
      none: null,
      list: [1, 'a'],
      msg: 'made',
    })
  })

  it.each<[LogLevel, string[]]>([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['silent', []],
  ])('is written from level %s on', (level, written) => {
    const { log, lines } = openLog(level)
    for (const name of ['debug', 'info', 'warn', 'error'] as const) log[name]({}, 'said')
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(written)
  })

  it('of a child carries its fields', () => {
    const { log, entry } = openLog()
    log.child({ service: 'auth' }).child({ request_id: 'req_1' }).warn({ n: 1 }, 'said')
    expect(entry()).toMatchObject({ level: 'warn', service: 'auth', request_id: 'req_1', n: 1, msg: 'said' })
  })

  it('is not written by the silent log', () => {
    expect(() => createLog('silent').error({ token: TOKEN }, TOKEN)).not.toThrow()
  })
})

describe('a secret', () => {
  it.each([
    'authorization',
    'Authorization',
    'proxy-authorization',
    'cookie',
    'set-cookie',
    'password',
    'database_password',
    'newPassword',
    'secret',
    'client_secret',
    'jwtSecret',
    'token',
    'access_token',
    'operatorToken',
    'api_key',
    'apiKey',
    'x-api-key',
    'private_key',
    'SVC_DATA_KEY',
  ])('is hidden by its field name %s, whatever its value', (name) => {
    const { log, lines, entry } = openLog()
    log.info({ [name]: 'opaque', deep: [{ [name]: { inner: 'opaque' } }] }, 'said')
    expect(lines[0]).not.toContain('opaque')
    expect(entry()).toMatchObject({ [name]: '[hidden]', deep: [{ [name]: '[hidden]' }] })
  })

  it('that is null stays null', () => {
    expect(redact({ token: null, password: undefined })).toEqual({ token: null, password: undefined })
  })

  it('does not hide other fields', () => {
    const fields = { token_id: 'tok_1', keyboard: 'k', operation: 'auth.create-token', tokens_used: 7, key_count: 2 }
    expect(redact(fields)).toEqual(fields)
  })

  it.each([
    ['our token', TOKEN, '[hidden]'],
    ['our token in a text', `Bearer ${TOKEN}, twice: ${TOKEN}`, 'Bearer [hidden], twice: [hidden]'],
    ['the operator’s token', `with ${OPERATOR}.`, 'with [hidden].'],
    ['a JWT', `id_token=${JWT}&x=1`, 'id_token=[hidden]&x=1'],
    ['a password in an address', URL_WITH_PASSWORD, 'postgres://svc:[hidden]@db.example:5432/svc'],
    ['a password with signs in it', 'postgres://svc:p@ss:w#rd@db/svc', 'postgres://svc:[hidden]@db/svc'],
    ['a password without a user', 'to redis://:pw@host:6379.', 'to redis://:[hidden]@host:6379.'],
    [
      'two addresses',
      'postgres://a:one@h1/x, https://b:two@h2/y@z',
      'postgres://a:[hidden]@h1/x, https://b:[hidden]@h2/y@z',
    ],
    ['no secret', 'http://host:8080/a@b and svc_short, a@b.example', 'http://host:8080/a@b and svc_short, a@b.example'],
  ])('is hidden by its shape: %s', (_, text, hidden) => {
    expect(hideSecrets(text)).toBe(hidden)
  })

  it('appears in no part of a written line', () => {
    const cause = Object.assign(new Error(`connect ${URL_WITH_PASSWORD}`), { code: 'ECONNREFUSED' })
    const error = new TypeError(`refused ${TOKEN}`, { cause: new Error(`with ${JWT}`, { cause }) })
    const { log, lines } = openLog()
    log.error(
      { error, list: [TOKEN, [JWT]], [TOKEN]: 1, map: { deep: { deeper: URL_WITH_PASSWORD } } },
      `it is ${TOKEN}`,
    )
    log.error(error, `and ${JWT}`)
    log.error({ err: error }, 'said')
    log.error({ errors: [error], aggregate: new AggregateError([error], TOKEN) }, 'said')
    log
      .child({ authorization: 'opaque', seen: TOKEN, error })
      .child({ jwt: JWT })
      .error({ url: URL_WITH_PASSWORD }, 'said')
    expect(lines).toHaveLength(5)
    for (const secret of [TOKEN, JWT, PASSWORD, 'opaque']) expect(lines.join('')).not.toContain(secret)
  })

  it('is hidden while the rest of an error stays readable', () => {
    const cause = Object.assign(new Error(`connect ${URL_WITH_PASSWORD}`), { code: 'ECONNREFUSED' })
    const { log, entry } = openLog()
    log.error({ error: new TypeError(`refused ${TOKEN}`, { cause }) }, 'said')
    expect(entry().error).toMatchObject({
      name: 'TypeError',
      message: 'refused [hidden]',
      stack: expect.stringContaining('log.test.ts'),
      cause: { name: 'Error', message: 'connect postgres://svc:[hidden]@db.example:5432/svc', code: 'ECONNREFUSED' },
    })
  })
})

describe('a value that cannot be written whole', () => {
  it('is cut off below a depth, also if it is circular', () => {
    const circle: Record<string, unknown> = { name: 'circle' }
    circle.self = circle
    const error = new Error('round')
    error.cause = error
    const { log, lines } = openLog()
    log.info({ circle, error }, 'said')
    expect(lines[0]).toContain('[deep]')
    expect(lines[0]!.length).toBeLessThan(50_000)
  })

  it('does not make logging fail', () => {
    const { log, lines } = openLog()
    log.info({ big: 2n, fn: () => 1, symbol: Symbol('s'), bytes: Buffer.from('ab'), map: new Map([['a', 1]]) }, 'said')
    expect(JSON.parse(lines[0]!)).toMatchObject({ msg: 'said' })
  })

  it('is not changed itself', () => {
    const given = { token: TOKEN, list: [TOKEN] }
    openLog().log.info(given, 'said')
    expect(given).toEqual({ token: TOKEN, list: [TOKEN] })
  })
})
