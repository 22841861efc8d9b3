import { createContext, useContext } from 'react'
import type { z } from 'zod'
import type { me } from '#contract/auth/members.ts'
import { type Role, roleAtLeast } from '#contract/core/roles.ts'
import type { Api } from './api.ts'

export type Me = z.infer<typeof me.output>

/** The signed-in person in one organization, and the client that acts for them. */
export type Session = {
  readonly me: Me & {
    readonly user: NonNullable<Me['user']>
    readonly org: NonNullable<Me['org']>
    readonly role: Role
  }
  readonly api: Api
  /** Reads who is signed in again, after an act that changed what `me` says. */
  readonly reread: () => void
}

export const SessionContext = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useSession needs a SessionGate above it')
  return session
}

/** Whether the signed-in person has the role. It only decides what is shown; the server decides what is allowed. */
export function useHasRole(minimum: Role): boolean {
  return roleAtLeast(useSession().me.role, minimum)
}

/** Names the session to other tabs and to the server: the person and the organization, never a secret. */
export function identityOf({ user, org }: Me): string {
  return `${user?.id ?? '-'} ${org?.id ?? '-'}`
}
