import { notFound, ServiceError } from '#contract/core/errors.ts'
import { type Access, type Operation, pathParameters } from '#contract/core/operation.ts'
import type { Principal } from '#contract/core/principal.ts'
import { type AppPart, roleAtLeast } from '#contract/core/roles.ts'
import { equalSecrets } from '#lib/crypto/keys.ts'
import type { RequestInfo } from '../route/route.ts'
import { bearerOf, calledByCookie, invalidToken, type ResolveCaller } from './caller.ts'
import { refuseCrossSite } from './csrf.ts'
import { refuseOtherSession } from './expected-session.ts'

type PathParameters = Readonly<Record<string, string>>
type Gate = (request: Request, info: RequestInfo, params: PathParameters) => Promise<Principal | null>
/**
 * Answers whether the caller has the part, or a greater one, in the app with that alias in their organization. A workload
 * has the part of a builder in its own app and none in any other.
 */
export type HasPart = (principal: Principal, alias: string, part: AppPart) => Promise<boolean>

export type GateDeps = {
  resolve: ResolveCaller
  operatorToken: string | undefined
  /** Needed by operations that name a part in an app; without it such a route cannot be mounted. */
  hasPart?: HasPart | undefined
  /** The address people see, if it is configured. */
  publicUrl?: string | undefined
}

/**
 * Builds the check of who may call an operation. Nothing else reads `access`. Throws when the operation names a part in
 * an app that cannot be decided: such an operation would refuse everyone whom it means to let in.
 */
export function createGate(op: Operation, deps: GateDeps): Gate {
  const { access } = op
  if (access === 'public') return async () => null
  if (access === 'operator') {
    return async (request) => {
      admitOperator(request, deps.operatorToken)
      return null
    }
  }
  const findPart = createPartCheck(op, access, deps.hasPart)
  return async (request, info, params) => {
    const principal = await deps.resolve(request, info)
    if (calledByCookie(request)) {
      refuseOtherSession(request, principal)
      if (op.effect === 'write') refuseCrossSite(request, deps.publicUrl)
    }
    const part = findPart !== undefined && (await findPart(principal, params.alias!))
    admit(principal, access, op.effect, { orgInPath: params.org_id, part })
    return principal
  }
}

type PartCheck = (principal: Principal, alias: string) => Promise<boolean>

/** Returns undefined for an operation that names no part. */
function createPartCheck(op: Operation, { role, part }: MemberAccess, hasPart?: HasPart): PartCheck | undefined {
  if (part === undefined) return undefined
  if (hasPart === undefined) throw new Error(`${op.name} names the part ${part}, but its service has no hasPart to ask`)
  if (role === null) throw new Error(`${op.name} names the part ${part} and no role that the part replaces`)
  if (!pathParameters(op.path).includes('alias')) {
    throw new Error(`${op.name} names the part ${part}, but its path has no {alias} of an app`)
  }
  return async (principal, alias) => {
    // Most callers pass by their role, so the part is looked up only when it decides.
    if (principal.org_id === null || (principal.role !== null && roleAtLeast(principal.role, role))) return false
    return hasPart(principal, alias, part)
  }
}

function admitOperator(request: Request, operatorToken: string | undefined): void {
  if (operatorToken === undefined) throw notFound()
  const token = bearerOf(request)
  if (token === undefined || !equalSecrets(token, operatorToken)) throw invalidToken()
}

type MemberAccess = Exclude<Access, string>

/** Throws when the caller may not do this. Another organization's path is answered as if it did not exist. */
export function admit(
  principal: Principal,
  access: MemberAccess,
  effect: Operation['effect'],
  found: { orgInPath?: string | undefined; part?: boolean } = {},
): void {
  if (!access.principals.includes(principal.kind))
    throw forbidden(`Callers of kind ${principal.kind} may not use this operation.`)
  if (access.org === 'path' && found.orgInPath !== principal.org_id) {
    throw notFound('organization')
  }
  if (access.role !== null && !found.part) admitRole(principal, access)
  if (principal.kind === 'agent') admitScope(principal, access)
  if (principal.support && !admitsSupport(access, effect)) {
    throw forbidden('Support sessions may not use this operation.')
  }
  if (effect === 'write' && principal.read_only) {
    throw new ServiceError('READ_ONLY_SESSION', 'This support session is read-only. Elevate it to make changes.')
  }
}

/**
 * Whether the caller may call a read of their organization. An operation that names a part in an app counts as allowed:
 * it depends on the app, so the answer must be limited to apps in which the caller has that part.
 */
export function mayRead(principal: Principal, { access, effect }: Operation): boolean {
  if (typeof access === 'string') return access === 'public'
  try {
    admit(principal, access, effect, { orgInPath: principal.org_id ?? undefined, part: access.part !== undefined })
    return true
  } catch (error) {
    if (error instanceof ServiceError) return false
    throw error
  }
}

function admitsSupport({ support }: MemberAccess, effect: Operation['effect']): boolean {
  return effect === 'write' ? support === 'elevated' : support !== 'refused'
}

function admitScope(principal: Principal, { scope }: MemberAccess): void {
  const scopes = scope === null ? [] : [scope].flat()
  if (scopes.some((one) => principal.scopes.includes(one))) return
  throw forbidden(
    scopes.length === 0
      ? 'Agents may not use this operation.'
      : `This operation needs the scope ${scopes.join(' or ')}.`,
  )
}

function admitRole(principal: Principal, { role, part }: MemberAccess): void {
  if (principal.kind === 'workload' && part !== undefined)
    throw forbidden('A workload may use this operation only for its own app.')
  if (principal.org_id === null || principal.role === null)
    throw forbidden('You do not belong to an organization. Join or create one first.')
  if (role !== null && !roleAtLeast(principal.role, role))
    throw forbidden(`This needs the role ${role} or above. Your role is ${principal.role}. An owner can change it.`)
}

function forbidden(detail: string): ServiceError {
  return new ServiceError('FORBIDDEN', detail)
}
