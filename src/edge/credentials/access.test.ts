import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Access, operation } from '#contract/core/operation.ts'
import type { Principal } from '#contract/core/principal.ts'
import { type AppPart, ROLES, type Role } from '#contract/core/roles.ts'
import { admit, createGate, type HasPart } from './access.ts'

type MemberAccess = Exclude<Access, string>

const access = (over: Partial<MemberAccess> = {}): MemberAccess => ({
  principals: ['user', 'api_token', 'agent'],
  role: 'developer',
  scope: 'datasources:read',
  org: 'token',
  ...over,
})

const principal = (over: Partial<Principal> = {}): Principal => ({
  kind: 'user',
  id: 'usr_1',
  user_id: 'usr_1',
  org_id: 'org_1',
  role: 'developer',
  scopes: [],
  expires_at: null,
  ...over,
})

/** The code of the refusal, or `pass`. */
function decide(who: Principal, to: MemberAccess, effect: 'read' | 'write' = 'read', orgInPath?: string): string {
  try {
    admit(who, to, effect, { orgInPath })
    return 'pass'
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('admit by kind', () => {
  it.each([
    ['user', 'pass'],
    ['api_token', 'pass'],
    ['workload', 'FORBIDDEN'],
    ['run', 'FORBIDDEN'],
  ] as const)('%s: %s', (kind, outcome) => {
    expect(decide(principal({ kind }), access())).toBe(outcome)
  })
})

describe('admit by role', () => {
  const passes: Record<Role, readonly Role[]> = {
    viewer: ['viewer', 'member', 'developer', 'admin', 'owner'],
    member: ['member', 'developer', 'admin', 'owner'],
    developer: ['developer', 'admin', 'owner'],
    admin: ['admin', 'owner'],
    owner: ['owner'],
  }
  const cases = ROLES.flatMap((least) => ROLES.map((role) => [role, least, passes[least].includes(role)] as const))
  it.each(cases)('%s where %s is needed: %s', (role, least, allowed) => {
    expect(decide(principal({ role }), access({ role: least }))).toBe(allowed ? 'pass' : 'FORBIDDEN')
  })

  it('someone in no organization is refused where a role is needed, and passes where none is', () => {
    const stranger = principal({ org_id: null, role: null })
    expect(decide(stranger, access({ role: 'viewer' }))).toBe('FORBIDDEN')
    expect(decide(stranger, access({ role: null }))).toBe('pass')
  })

  it('says which role is needed and which one the caller has', () => {
    expect(() => admit(principal({ role: 'viewer' }), access({ role: 'admin' }), 'read')).toThrow(
      'This needs the role admin or above. Your role is viewer. An owner can change it.',
    )
  })
})

describe('admit by scope', () => {
  const EITHER = ['datasources:read', 'datasources:query'] as const
  const agent = (over: Partial<Principal>) => principal({ kind: 'agent', ...over })
  it.each([
    ['with the scope', agent({ scopes: ['datasources:read'] }), access(), 'pass'],
    ['without it', agent({ scopes: ['datasources:query'] }), access(), 'FORBIDDEN'],
    ['with none', agent({ scopes: [] }), access(), 'FORBIDDEN'],
    ['with one of a list', agent({ scopes: ['datasources:query'] }), access({ scope: EITHER }), 'pass'],
    ['with none of a list', agent({ scopes: ['functions:call'] }), access({ scope: EITHER }), 'FORBIDDEN'],
    ['where no scope opens it', agent({ scopes: ['datasources:read'] }), access({ scope: null }), 'FORBIDDEN'],
    [
      'with the scope but below the role',
      agent({ scopes: ['datasources:read'], role: 'viewer' }),
      access(),
      'FORBIDDEN',
    ],
  ])('an agent %s', (_, who, to, outcome) => {
    expect(decide(who, to)).toBe(outcome)
  })

  it('people need no scope', () => {
    expect(decide(principal({ scopes: [] }), access())).toBe('pass')
  })
})

describe('admit by organization of the path', () => {
  const inPath = access({ org: 'path', role: 'viewer' })
  it.each([
    ['their own', principal(), 'org_1', 'pass'],
    ['another', principal({ role: 'owner' }), 'org_2', 'NOT_FOUND'],
    ['none', principal(), undefined, 'NOT_FOUND'],
    ['any, being in none', principal({ org_id: null, role: null }), 'org_1', 'NOT_FOUND'],
  ])('%s', (_, who, org, outcome) => {
    expect(decide(who, inPath, 'read', org)).toBe(outcome)
  })

  it('another organization is not found even for someone whose role would be refused', () => {
    expect(decide(principal({ role: 'viewer' }), access({ org: 'path', role: 'owner' }), 'read', 'org_2')).toBe(
      'NOT_FOUND',
    )
  })
})

describe('admit by effect', () => {
  it.each([
    ['read', true, 'pass'],
    ['write', true, 'READ_ONLY_SESSION'],
    ['read', false, 'pass'],
    ['write', false, 'pass'],
    ['write', undefined, 'pass'],
  ] as const)('%s in a session with read_only %s: %s', (effect, read_only, outcome) => {
    const session = read_only === undefined ? principal() : principal({ read_only })
    expect(decide(session, access(), effect)).toBe(outcome)
  })

  it('a read-only session without the role is refused for the role', () => {
    expect(decide(principal({ role: 'viewer', read_only: true }), access(), 'write')).toBe('FORBIDDEN')
  })
})

describe('AU-07 an operation that names a part in an app', () => {
  const madeUp = (path: string, over: Partial<MemberAccess> = {}) =>
    operation({
      kind: 'json',
      name: 'test.part',
      method: 'GET',
      path,
      summary: 'Made up',
      access: access({ part: 'builder', ...over }),
      effect: 'read',
      bodyLimit: 0,
      input: z.object({ alias: z.string() }),
      output: z.object({}),
    })
  const gateFor = (who: Principal, hasPart?: HasPart, op = madeUp('/apps/{alias}')) =>
    createGate(op, { resolve: async () => who, operatorToken: undefined, hasPart })
  const info = { clientAddress: '198.51.100.1', requestId: 'req_1', via: 'api', direct: false } as const
  const enter = (who: Principal, hasPart: HasPart) =>
    gateFor(who, hasPart)(new Request('http://test/apps/shop'), info, { alias: 'shop' }).then(
      () => 'pass',
      (error: { code: string }) => error.code,
    )
  const builderOfShop: HasPart = async ({ org_id }, alias, part: AppPart) =>
    org_id === 'org_1' && alias === 'shop' && part === 'builder'
  const viewer = principal({ role: 'viewer' })

  it.each([
    ['below the role, with the part', viewer, builderOfShop, 'pass'],
    ['below the role, without the part', viewer, async () => false, 'FORBIDDEN'],
    ['in no organization', principal({ org_id: null, role: null }), async () => true, 'FORBIDDEN'],
    ['of a kind that may not call', principal({ kind: 'workload', role: null }), async () => true, 'FORBIDDEN'],
  ])('a caller %s', async (_, who, hasPart, outcome) => {
    expect(await enter(who, hasPart)).toBe(outcome)
  })

  it.each([
    ['its own app', 'app_1', 'pass'],
    ['another app', 'app_2', 'FORBIDDEN'],
  ])('AU-15 a workload that may call it passes for %s only', async (_, deployment, outcome) => {
    const workload = principal({ kind: 'workload', user_id: null, role: null, deployment })
    const isOwnApp: HasPart = async (who) => who.deployment === 'app_1'
    const op = madeUp('/apps/{alias}', { principals: ['user', 'workload'] })
    const entered = gateFor(workload, isOwnApp, op)(new Request('http://test/apps/shop'), info, { alias: 'shop' })
    const result = await entered.then(
      () => ({ code: 'pass' }),
      (error: { code: string; message: string }) => error,
    )
    expect(result.code).toBe(outcome)
    if ('message' in result) expect(result.message).toBe('A workload may use this operation only for its own app.')
  })

  it('does not look for the part of a caller who passes by role', async () => {
    const broken: HasPart = async () => Promise.reject(new Error('looked up'))
    expect(await enter(principal(), broken)).toBe('pass')
  })

  it.each([
    ['nobody can be asked about parts', undefined, madeUp('/apps/{alias}'), 'has no hasPart to ask'],
    ['its path names no app', builderOfShop, madeUp('/apps'), 'its path has no {alias} of an app'],
    ['every member may call it', builderOfShop, madeUp('/apps/{alias}', { role: null }), 'no role that the part'],
  ])('cannot be mounted when %s', (_, hasPart, op, message) => {
    expect(() => gateFor(viewer, hasPart, op)).toThrow(message)
  })
})
