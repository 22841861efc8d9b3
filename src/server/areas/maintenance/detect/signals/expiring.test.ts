import { describe, expect, it } from 'vitest'
import { every, evidenceOf, type Line } from '#test/signals/evidence.ts'
import { expiring } from './expiring.ts'

describe('MA-30 a certificate or token about to expire', () => {
  it('is found with its end and its newest line', async () => {
    const text = 'TLS certificate of shop.example.com expires in 6 days'
    expect(expiring(await evidenceOf({ lines: [[600, text]] }))).toEqual([
      {
        kind: 'expiring',
        template: 'certificate shop.example.com',
        summary: 'The certificate of shop.example.com expires on 2026-11-21, in 5 days.',
        lines: [{ at: new Date('2026-11-15T02:00:00Z'), revisionId: null, text }],
        covers: [],
      },
    ])
  })

  it.each<[string, string, string]>([
    [
      'info',
      'cert for a.example.com valid until 2026-11-20T08:00:00Z',
      'The certificate of a.example.com expires on 2026-11-20, in 4 days.',
    ],
    ['info', 'notAfter=Nov 25 12:00:00 2026 GMT of the certificate', 'A certificate expires on 2026-11-25, in 9 days.'],
    ['warn', 'certificate expiry: 10 December 2026', 'A certificate expires on 2026-12-10, in 24 days.'],
    ['error', 'x509: certificate has expired or is not yet valid', 'A certificate expired on 2026-11-15.'],
    ['warn', 'GITHUB_TOKEN expires in 3 days', 'The token GITHUB_TOKEN expires on 2026-11-18, in 2 days.'],
    ['info', 'The API key expires in 5 days, rotate it', 'A token expires on 2026-11-20, in 4 days.'],
    ['warn', '{"msg":"license token","expires_in_days":9}', 'A token expires on 2026-11-24, in 8 days.'],
    [
      'warn',
      'client certificate close to expiry subject="CN=agent" remaining_days=11',
      'The certificate of agent expires on 2026-11-26, in 10 days.',
    ],
    ['warn', '6 hours left until the deploy token expires', 'A token expires on 2026-11-15, in 0 days.'],
  ])('of %s: %j', async (level, text, summary) => {
    expect(expiring(await evidenceOf({ lines: [[10, text, level]] }))).toMatchObject([{ summary }])
  })

  it('is found of a token if the log counts down', async () => {
    const lines: Line[] = [
      [1_400, 'api token expires in 9 days'],
      [20, 'api token expires in 8 days'],
    ]
    expect(expiring(await evidenceOf({ lines }))).toMatchObject([
      { summary: 'A token expires on 2026-11-23, in 7 days.' },
    ])
  })

  it.each<[string, Line[]]>([
    ['a certificate with two months left', [[10, 'certificate of a.example.com expires in 60 days']]],
    ['a warning 31 days ahead', [[10, 'certificate expires in 31 days', 'warn']]],
    ['a token that was issued', [[10, 'issued token for user 7, expires in 7 days', 'warn']]],
    ['a token of an hour', [[10, 'access token: expires_in=3600']]],
    ['a line about a token in days without a warning', [[10, 'session token expires in 7 days']]],
    ['expired sessions', [[10, 'removed 12 expired tokens older than 7 days']]],
    ['the expired token of a user', [[10, 'jwt expired: token of user 7', 'error']]],
    ['something else that expires', [[10, 'cache entry expires in 2 days', 'warn']]],
    [
      'one that was renewed since',
      [
        [600, 'certificate of a.example.com expires in 3 days', 'warn'],
        [500, 'certificate of a.example.com renewed, valid until 2027-02-13'],
      ],
    ],
    [
      'one whose end moved on',
      [
        [600, 'certificate of a.example.com expires in 3 days'],
        [500, 'certificate of a.example.com expires in 89 days'],
      ],
    ],
    ['a date that does not exist', [[10, 'certificate expires on 2026-99-99', 'warn']]],
  ])('is not %s', async (_, lines) => {
    expect(expiring(await evidenceOf({ lines }))).toEqual([])
  })

  it('is found in a log that names another host on every line', async () => {
    const hostile = every(1_400, 0, 0.1, (n) => `certificate of h${n}.example.com expires in 6 days`)
    expect(expiring(await evidenceOf({ lines: hostile }))).toHaveLength(200)
    const long = [`certificate expires ${'1 '.repeat(200_000)}`, `certificate ${'a.'.repeat(200_000)} expires in`]
    expect(expiring(await evidenceOf({ lines: long.map((text): Line => [5, text]) }))).toEqual([])
  })
})
